// The view of the page follows its URL.

import { useEffect, useState } from "preact/hooks";
import { formatRoute, parseRoute, type Route } from "../model/route.ts";

/** Goes to a view; a change within a view replaces its address, so that "back" leaves the view. */
export function go(route: Route): void {
  const isSame = parseRoute(location.hash).view === route.view;
  if (!isSame) {
    location.hash = formatRoute(route);
    return;
  }
  history.replaceState(null, "", formatRoute(route));
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const follow = (): void => setRoute(parseRoute(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}
