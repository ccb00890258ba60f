// The objects the IPAM plugin keeps its allocations in, in the form existing pools have.
import { define, list, object, text } from "./definition.ts";

const group = "whereabouts.cni.cncf.io";
const version = "v1alpha1";

const allocation = object({ id: text, podref: text, ifname: text }, ["id", "podref"]);

export const ipPools = define({
  group,
  version,
  kind: "IPPool",
  plural: "ippools",
  scope: "Namespaced",
  description: "Which addresses of a range are taken, and by whom.",
  spec: object(
    {
      range: { ...text, description: "The range as a CIDR." },
      allocations: {
        type: "object",
        additionalProperties: allocation,
        description: "By offset from the start of the range, in decimal.",
      },
    },
    ["allocations", "range"],
  ),
});

export const overlappingRangeReservations = define({
  group,
  version,
  kind: "OverlappingRangeIPReservation",
  plural: "overlappingrangeipreservations",
  scope: "Namespaced",
  description: "An address that is taken in all pools of its network.",
  spec: object({ containerid: text, podref: text, ifname: text }, ["podref"]),
});

export const nodeSlicePools = define({
  group,
  version,
  kind: "NodeSlicePool",
  plural: "nodeslicepools",
  scope: "Namespaced",
  description: "How a range is shared out among nodes.",
  spec: object({ range: text, sliceSize: text }, ["range", "sliceSize"]),
  hasPlainStatus: true,
  status: object(
    {
      allocations: list(object({ nodeName: text, sliceRange: text }, ["nodeName", "sliceRange"])),
    },
    ["allocations"],
  ),
});
