import { Prefix } from "../../../base/net/prefix.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { duplicate, forbidden, invalid } from "../../fields/field-errors.ts";
import { completePair, type PairHolder, reconcilePair, valuesOf } from "../../pairs/pair.ts";
import { podCIDRs } from "../../pairs/pairs.ts";
import type { Node, NodeSpec } from "../../types/core.ts";
import { addressErrors } from "../address-errors.ts";
import type { Kind } from "../kind.ts";
import { nodeTable } from "./table.ts";

export const node: Kind<Node> = {
  hasGeneration: false,
  default(object) {
    object.spec ??= {};
  },
  upgrade({ spec }) {
    completePair(holderOf(spec), podCIDRs);
  },
  reconcile(object, { old, patch, subresource }) {
    if (subresource === "status") return { errors: [], warnings: [] };
    return reconcilePair(holderOf(object.spec), podCIDRs, {
      path: "spec",
      isPatch: patch !== undefined,
      ...(old === undefined ? {} : { old: holderOf(old.spec) }),
    });
  },
  prepareCreate() {
    // The status is kept on create: nodes report it when they register.
  },
  prepareUpdate(object, old) {
    if (old.status === undefined) delete object.status;
    else object.status = old.status;
  },
  prepareStatusUpdate(object, old) {
    object.spec = old.spec;
  },
  validate: (object) => [...podCidrErrors(object), ...statusErrors(object)],
  validateUpdate: podCidrChanges,
  selectableFields: ["spec.unschedulable"],
  selectableField: ({ spec }) => String(spec.unschedulable === true),
  toldTwice: [{ path: ["spec"], pair: podCIDRs }],
  table: nodeTable,
};

function podCidrErrors({ spec }: Node): FieldError[] {
  const seen = new Set<string>();
  return valuesOf(holderOf(spec), podCIDRs).flatMap((text, index) => {
    const field = `spec.podCIDRs[${index}]`;
    const family = Prefix.tryParse(text)?.family;
    if (family === undefined) {
      const detail = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
      return [invalid(field, text, detail)];
    }
    if (seen.has(family)) {
      return [invalid(field, text, `may specify no more than one ${family} CIDR`)];
    }
    seen.add(family);
    return [];
  });
}

/** Refuses changes of a node's pod CIDRs; they may only be set while there are none. */
function podCidrChanges({ spec }: Node, old: Node): FieldError[] {
  const before = valuesOf(holderOf(old.spec), podCIDRs);
  const now = valuesOf(holderOf(spec), podCIDRs);
  if (before.length === 0 || before.join() === now.join()) return [];
  return [
    forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid'),
  ];
}

function statusErrors({ status }: Node): FieldError[] {
  const seen = new Set<string>();
  return (status?.addresses ?? []).flatMap(({ type, address }, index) => {
    const field = `status.addresses[${index}]`;
    const key = `${type} ${address}`;
    if (seen.has(key)) return [duplicate(field, { type, address })];
    seen.add(key);
    return type?.endsWith("IP") ? addressErrors(`${field}.address`, address) : [];
  });
}

function holderOf(spec: NodeSpec): PairHolder & NodeSpec {
  return spec as PairHolder & NodeSpec;
}
