import type { Settings } from "./annotations.ts";
import type { Path } from "./path.ts";

export interface Route {
  readonly path: Path;
  readonly settings: Settings;
  /** The upstream; without one, requests get 503. */
  readonly upstream: string | undefined;
  /** Whether HTTP requests are redirected to HTTPS. */
  readonly isHttpsOnly: boolean;
}

export interface Site {
  /** The host; "" is for all hosts without a site. */
  readonly host: string;
  /** The routes, the most specific first. */
  readonly routes: readonly Route[];
  /** The certificate's name; the default one when not given. */
  readonly certificate: string | undefined;
}

interface Owned<T> {
  readonly owner: string;
  readonly value: T;
}

interface SiteDraft {
  /** The routes by kind and text of the path. */
  readonly routes: Map<string, Owned<Route>>;
  fallback: Owned<Route> | undefined;
  security: Owned<string | undefined> | undefined;
}

/** The owners of hosts and paths. The first to add one owns it; later ones learn who that is. */
export class Sites {
  readonly owners = new Set<string>();
  readonly #drafts = new Map<string, SiteDraft>([["", emptyDraft()]]);

  /** Adds a route; returns the owner of the same path, if there is one already. */
  add(host: string, route: Route, owner: string): string | undefined {
    const { routes } = this.#draft(host);
    const key = `${route.path.kind} ${route.path.text}`;
    const holder = routes.get(key)?.owner;
    if (holder !== undefined) return holder;
    routes.set(key, { owner, value: route });
    this.owners.add(owner);
    return undefined;
  }

  /** Adds the route for unmatched paths; returns the owner, if there is one already. */
  addDefault(host: string, route: Route, owner: string): string | undefined {
    const draft = this.#draft(host);
    if (draft.fallback !== undefined) return draft.fallback.owner;
    draft.fallback = { owner, value: route };
    this.owners.add(owner);
    return undefined;
  }

  /** Sets the certificate of a host; returns the owner of a different one, if there is one. */
  secure(host: string, certificate: string | undefined, owner: string): string | undefined {
    const draft = this.#draft(host);
    const { security } = draft;
    if (security !== undefined && security.value !== certificate) return security.owner;
    draft.security ??= { owner, value: certificate };
    return undefined;
  }

  list(): Site[] {
    const everywhere = this.#drafts.get("")?.fallback?.value;
    return [...this.#drafts.keys()].toSorted().map((host) => {
      const { routes, fallback, security } = this.#draft(host);
      const own = [...routes.values()].map(({ value }) => value);
      const last = fallback?.value ?? everywhere;
      const isComplete = own.some(({ path }) => path.kind === "prefix" && path.text === "");
      const all = isComplete || last === undefined ? own : [...own, last];
      return {
        host,
        routes: all.toSorted(bySpeciality),
        certificate: security?.value,
      };
    });
  }

  #draft(host: string): SiteDraft {
    const draft = this.#drafts.get(host) ?? emptyDraft();
    this.#drafts.set(host, draft);
    return draft;
  }
}

function emptyDraft(): SiteDraft {
  return { routes: new Map(), fallback: undefined, security: undefined };
}

const kindOrder = ["exact", "pattern", "prefix"] as const;

/** Orders routes: exact paths before all others, then longer paths first; of the same length by kind. */
function bySpeciality({ path: a }: Route, { path: b }: Route): number {
  const exact = Number(b.kind === "exact") - Number(a.kind === "exact");
  return (
    exact ||
    b.text.length - a.text.length ||
    kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind) ||
    (a.text < b.text ? -1 : 1)
  );
}
