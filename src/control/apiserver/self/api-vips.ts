// The virtual addresses of the API that are in force by the Infrastructure object. The server's certificate
// must hold them, since clients check it against the address they use.
import type { ApiObject } from "../../../api/kinds/kind.ts";
import { Address } from "../../../base/net/address.ts";
import type { Cache } from "../cache/cache.ts";
import type { Collection } from "../cache/collection.ts";
import { collectionId } from "../keys.ts";

/** The number of addresses remembered, so that a status that is wrong for a moment removes none. */
const remembered = 8;

export class ApiVips {
  readonly #collection: Collection;
  #known: readonly string[] = [];

  constructor(cache: Cache) {
    this.#collection = cache.collection(collectionId("config.openshift.io", "infrastructures"));
  }

  /** The present addresses, and earlier ones as far as they are remembered. */
  get addresses(): readonly string[] {
    const present = apiVipsOf(this.#collection.get("", "cluster")?.parse());
    const before = this.#known.filter((address) => !present.includes(address));
    this.#known = [...present, ...before].slice(0, remembered);
    return this.#known;
  }

  /** Calls back when the addresses may have changed; the function returned ends that. */
  subscribe(changed: () => void): () => void {
    const subscriber = { changed, lost: changed };
    this.#collection.subscribers.add(subscriber);
    return () => void this.#collection.subscribers.delete(subscriber);
  }
}

/** Returns the API VIPs of an Infrastructure; invalid texts, which anybody may have written, are skipped. */
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
