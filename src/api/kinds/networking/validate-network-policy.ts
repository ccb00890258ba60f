import { Prefix } from "../../../base/net/prefix.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid, notSupported, required } from "../../fields/field-errors.ts";
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from "../../types/networking.ts";
import { each, portNumberOrName, within } from "../checks.ts";
import { validateLabelSelector } from "../label-selector.ts";

const directions = ["Ingress", "Egress"];
const badPrefix = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

export function networkPolicyErrors({ spec }: NetworkPolicy): FieldError[] {
  return [
    ...validateLabelSelector(spec.podSelector, "spec.podSelector"),
    ...each(spec.ingress, "spec.ingress", ({ ports, from }, path) => [
      ...each(ports, `${path}.ports`, portErrors),
      ...each(from, `${path}.from`, peerErrors),
    ]),
    ...each(spec.egress, "spec.egress", ({ ports, to }, path) => [
      ...each(ports, `${path}.ports`, portErrors),
      ...each(to, `${path}.to`, peerErrors),
    ]),
    ...typeErrors(spec.policyTypes ?? [], "spec.policyTypes"),
  ];
}

function typeErrors(types: readonly string[], path: string): FieldError[] {
  if (types.length > directions.length) {
    return [invalid(path, types, "may not specify more than two policyTypes")];
  }
  return each(types, path, (type, field) =>
    directions.includes(type) ? [] : [notSupported(field, type, directions)],
  );
}

function portErrors({ port, endPort }: NetworkPolicyPort, path: string): FieldError[] {
  return [
    ...endErrors(port, endPort, `${path}.endPort`),
    ...(port === undefined ? [] : portNumberOrName(`${path}.port`, port)),
  ];
}

function endErrors(
  port: number | string | undefined,
  end: number | undefined,
  field: string,
): FieldError[] {
  if (end === undefined) return [];
  if (port === undefined) {
    return [invalid(field, end, "may not be specified when `port` is not specified")];
  }
  if (typeof port === "string") {
    return [invalid(field, end, "may not be specified when `port` is non-numeric")];
  }
  const isBackwards = end < port;
  return [
    ...(isBackwards ? [invalid(field, port, "must be greater than or equal to `port`")] : []),
    ...within(field, end, [1, 65_535]),
  ];
}

function peerErrors(peer: NetworkPolicyPeer, path: string): FieldError[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const selectors = [podSelector, namespaceSelector].filter((one) => one !== undefined);
  if (selectors.length === 0 && ipBlock === undefined) {
    return [required(path, "must specify a peer")];
  }
  return [
    ...validateLabelSelector(podSelector, `${path}.podSelector`),
    ...validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`),
    ...(ipBlock === undefined ? [] : blockErrors(ipBlock, `${path}.ipBlock`)),
    ...(selectors.length > 0 && ipBlock !== undefined
      ? [forbidden(path, "may not specify both ipBlock and another peer")]
      : []),
  ];
}

function blockErrors({ cidr = "", except }: Partial<IPBlock>, path: string): FieldError[] {
  const field = `${path}.cidr`;
  if (cidr === "") return [required(field)];
  const block = Prefix.tryParse(cidr);
  if (block === undefined) return [invalid(field, cidr, badPrefix)];
  return each(except, `${path}.except`, (text, place) => {
    const hole = Prefix.tryParse(text);
    if (hole === undefined) return [invalid(place, text, badPrefix)];
    const isInside = block.contains(hole) && block.length < hole.length;
    return isInside ? [] : [invalid(place, text, "must be a strict subset of `cidr`")];
  });
}
