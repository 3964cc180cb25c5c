/** A number with its noun, in English. */
export const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
