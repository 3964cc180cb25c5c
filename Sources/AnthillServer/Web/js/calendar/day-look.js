// How one study day looks, in the month's grid, in its card and in this week's row.

/** How rich the soil of a day is, from 0 to 4. */
export const heat = (seconds) => [1, 7_200, 21_600, 28_800].filter((from) => seconds >= from).length;

/** What grew on a day; a short line where nothing was planted. */
export const growthOf = ({ study_seconds: seconds, growth }) => (seconds > 0 ? growth : "rest");

/** The one stamp of a day, if any: the perfect ant stands for the two others. */
export function stampOf({ perfect, study, wake_up: woke }) {
  if (perfect) return "perfect";
  if (study) return "study";
  return woke ? "wake" : null;
}
