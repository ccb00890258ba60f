// What decisions are tried with, and what is read from them.

import { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import type { Surroundings } from "../decide.ts";
import type { Infrastructure } from "../object.ts";

export const around: Surroundings = {
  now: new Date("2026-01-01T00:00:00Z"),
  nodes: [{ node: "master-0", address: Address.parse("192.168.111.20") }],
  podNetworks: [Prefix.parse("10.244.0.0/16"), Prefix.parse("fd00:10:244::/56")],
  serviceNetworks: [Prefix.parse("10.96.0.0/16")],
};
export const statusOf = ({ status }: Infrastructure) => status?.platformStatus?.baremetal;
export const specOf = ({ spec }: Infrastructure) => spec?.platformSpec?.baremetal;
export const degradedOf = ({ status }: Infrastructure) =>
  status?.conditions?.find(({ type }) => type === "Degraded");
