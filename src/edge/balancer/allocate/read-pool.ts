import { isSelectorError } from "../../../api/selectors/error.ts";
import { compileLabelSelector } from "../../../api/selectors/label-selector.ts";
import type { LabelSelector } from "../../../api/types/meta.ts";
import { type Address, InvalidAddressError } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { AddressRange } from "../../../base/net/range.ts";
import { RangeSet } from "../../../base/net/range-set.ts";
import type { AddressPool } from "../pool.ts";

type Labels = Readonly<Record<string, string>>;

export interface Pool {
  readonly name: string;
  readonly ranges: RangeSet;
  readonly isAutomatic: boolean;
  /** Whether a service with these labels, in a namespace with those, may use the pool. */
  readonly admits: (service: Labels, namespace: Labels) => boolean;
  readonly problems: readonly string[];
}

/** Parses a pool; a part that cannot be parsed is one of its problems, and is not used. */
export function readPool({ metadata, spec }: AddressPool): Pool {
  const problems: string[] = [];
  const spans = (spec.addresses ?? []).flatMap((text, n) => {
    try {
      return [text.includes("-") ? AddressRange.parse(text) : Prefix.parse(text)];
    } catch (error) {
      if (!(error instanceof InvalidAddressError)) throw error;
      problems.push(`Cannot use spec.addresses[${n}] ${JSON.stringify(text)}: ${error.message}`);
      return [];
    }
  });
  const services = readSelector("spec.serviceSelector", spec.serviceSelector, problems);
  const namespaces = readSelector("spec.namespaceSelector", spec.namespaceSelector, problems);
  return {
    name: metadata.name,
    ranges: RangeSet.of(spans),
    isAutomatic: spec.autoAssign !== false,
    admits: (service, namespace) => services(service) && namespaces(namespace),
    problems,
  };
}

export function poolHas(pool: Pool, address: Address): boolean {
  return pool.ranges.contains(address);
}

function readSelector(
  field: string,
  selector: LabelSelector | undefined,
  problems: string[],
): (labels: Labels) => boolean {
  if (selector === undefined) return () => true;
  try {
    const filter = compileLabelSelector(selector);
    return (labels) => filter.matchesLabels(labels);
  } catch (error) {
    if (!isSelectorError(error)) throw error;
    problems.push(`Cannot use ${field}: ${error.message}`);
    return () => false;
  }
}
