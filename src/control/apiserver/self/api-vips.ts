// The virtual addresses of the API, as the Infrastructure object has them in force: clients that use one
// check the server's certificate against it.
import type { ApiObject } from "../../../api/kinds/kind.ts";
import { Address } from "../../../base/net/address.ts";
import type { Cache } from "../cache/cache.ts";
import type { Collection } from "../cache/collection.ts";
import { collectionId } from "../keys.ts";

/** How many are remembered: a status that is wrong for a moment takes none of those before away. */
const remembered = 8;

export class ApiVips {
  readonly #collection: Collection;
  #known: readonly string[] = [];

  constructor(cache: Cache) {
    this.#collection = cache.collection(collectionId("config.openshift.io", "infrastructures"));
  }

  /** Those of now, and those of before as far as they are remembered. */
  get addresses(): readonly string[] {
    const present = apiVipsOf(this.#collection.get("", "cluster")?.parse());
    const before = this.#known.filter((address) => !present.includes(address));
    this.#known = [...present, ...before].slice(0, remembered);
    return this.#known;
  }

  /** Calls back when they may have changed; the function returned ends that. */
  subscribe(changed: () => void): () => void {
    const subscriber = { changed, lost: changed };
    this.#collection.subscribers.add(subscriber);
    return () => void this.#collection.subscribers.delete(subscriber);
  }
}

/** What is no address of a machine counts as not there, since somebody else may have written it. */
export function apiVipsOf(infrastructure: (ApiObject & { status?: Status }) | undefined): string[] {
  const { platformStatus = {} } = infrastructure?.status ?? {};
  const texts = Object.values(platformStatus).flatMap((platform) =>
    typeof platform === "object" && platform !== null
      ? [platform.apiServerInternalIPs, platform.apiServerInternalIP].flat()
      : [],
  );
  const addresses = texts
    .flatMap((text) => (typeof text === "string" ? (Address.tryParse(text) ?? []) : []))
    .filter((address) => !address.isUnspecified);
  return [...new Set(addresses.map(String))];
}

interface Status {
  readonly platformStatus?: Readonly<
    Record<
      string,
      string | { apiServerInternalIPs?: unknown; apiServerInternalIP?: unknown } | null
    >
  >;
}
