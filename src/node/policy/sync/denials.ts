// Exports the kernel's counts of denied packets as metrics.

import type { CallOptions } from "../../../base/host/command.ts";
import { isNotFound } from "../../../base/host/error.ts";
import type { Nft } from "../../../base/host/nft.ts";
import type { Family } from "../../../base/net/family.ts";
import { reservedReasons } from "../nftables/layout.ts";
import { tableOf } from "../nftables/words.ts";
import type { Reasons } from "../plan/reasons.ts";
import type { PolicyMetrics } from "./metrics.ts";

export class DenialCounts {
  readonly #nft: Nft;
  readonly #reasons: Reasons;
  readonly #metrics: PolicyMetrics;
  readonly #before = new Map<string, number>();

  constructor(nft: Nft, reasons: Reasons, metrics: PolicyMetrics) {
    this.#nft = nft;
    this.#reasons = reasons;
    this.#metrics = metrics;
  }

  async read(family: Family, options?: CallOptions): Promise<void> {
    for (const { key, packets = 0 } of await this.#elements(family, options)) {
      const id = numberOf(key[0] ?? "");
      const place = `${family} ${id}`;
      const before = this.#before.get(place) ?? 0;
      this.#before.set(place, packets);
      // The counters of a new table start from zero.
      const more = packets >= before ? packets - before : packets;
      if (more > 0) this.#count(family, id, more);
    }
  }

  #count(family: Family, id: number, packets: number): void {
    const reason = this.#reasons.get(id);
    if (reason === undefined) {
      const rule = id === reservedReasons.unknownPod ? "pod not known yet" : "";
      this.#metrics.denied.with(family, "", "", rule, "enforce").increment(packets);
      return;
    }
    const { direction, policies, rule = "", isAudited } = reason;
    const [, title = ""] = rule === "" ? [] : [rule, rule.slice(rule.indexOf(", ") + 2)];
    const mode = isAudited ? "audit" : "enforce";
    this.#metrics.denied
      .with(family, direction, policies.join(","), title, mode)
      .increment(packets);
  }

  async #elements(family: Family, options?: CallOptions) {
    try {
      const set = { table: tableOf(family), kind: "set", name: "denials" } as const;
      return await this.#nft.elements(set, options);
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  }
}

/** Parses a number as nft writes the type classid. */
function numberOf(text: string): number {
  if (!text.includes(":")) return 0;
  const [high = "", low = ""] = text.split(":");
  return (Number.parseInt(high || "0", 16) * 0x1_0000 + Number.parseInt(low || "0", 16)) >>> 0;
}
