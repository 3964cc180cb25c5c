const silence = 40_000;
const again = 60_000;

/**
 * Follows a stream of the server while the page is visible: `heard` gets the data of each event of that name. If the
 * stream is refused or breaks, `works` is false and the page must poll; a minute later it tries again. `open(path)`
 * switches to another stream.
 */
export function follow(event, heard) {
  let path = null;
  let source = null;
  let lastAt = 0;
  let timer;

  function close() {
    clearTimeout(timer);
    source?.close();
    source = null;
  }

  function connect() {
    close();
    if (!path || document.hidden) return;
    const own = new EventSource(`/api/v1${path}`);
    source = own;
    lastAt = performance.now();
    const hear = ({ type, data }) => {
      if (own !== source) return;
      lastAt = performance.now();
      if (type === event) heard(JSON.parse(data));
    };
    own.addEventListener(event, hear);
    own.addEventListener("ping", hear);
    own.addEventListener("error", () => {
      if (own === source && own.readyState === EventSource.CLOSED) timer = setTimeout(connect, again);
    });
  }

  // A browser has six connections per server; hidden pages must not hold them.
  document.addEventListener("visibilitychange", connect);
  addEventListener("pagehide", close);
  addEventListener("pageshow", ({ persisted }) => persisted && connect());

  return {
    open(wanted) {
      if (path === wanted) return;
      path = wanted;
      connect();
    },
    get works() {
      return source?.readyState === EventSource.OPEN && performance.now() - lastAt < silence;
    },
  };
}
