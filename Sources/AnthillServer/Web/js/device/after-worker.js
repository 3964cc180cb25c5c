self.onmessage = ({ data: { id, milliseconds } }) => setTimeout(postMessage, milliseconds, id);
