// The address of each view, in the fragment of the page's URL.

export const viewNames = [
  "overview",
  "nodes",
  "services",
  "pods",
  "map",
  "check",
  "trace",
  "addresses",
  "vips",
  "policies",
  "object",
] as const;

export type ViewName = (typeof viewNames)[number];

export interface Route {
  readonly view: ViewName;
  /** What is selected: a search, a service, a namespace, an object. */
  readonly parameters: Readonly<Record<string, string>>;
}

export const firstRoute: Route = { view: "overview", parameters: {} };

/** Parses `#/map?service=shop/web`; whatever is no view leads to the overview. */
export function parseRoute(fragment: string): Route {
  const [name, query = ""] = fragment.replace(/^#\/?/, "").split("?", 2);
  const view = viewNames.find((one) => one === name);
  if (view === undefined) return firstRoute;
  return { view, parameters: Object.fromEntries(new URLSearchParams(query)) };
}

export function formatRoute({ view, parameters }: Route): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== "");
  const query = new URLSearchParams(given).toString();
  return `#/${view}${query === "" ? "" : `?${query}`}`;
}
