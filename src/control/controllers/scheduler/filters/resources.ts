// Filters by free resources and host ports.

import { isConflict } from "../host-ports.ts";
import { type Filter, fits } from "./filter.ts";

export const hostPorts: Filter = {
  name: "NodePorts",
  liftedBy: ["node", "pod gone"],
  isLiftedByPreemption: true,
  prepare({ hostPorts: wanted }) {
    if (wanted.length === 0) return undefined;
    const taken = ["node(s) didn't have free ports for the requested pod ports"];
    return (node) => {
      for (const used of node.hostPorts) {
        if (wanted.some((port) => isConflict(port, used))) return taken;
      }
      return fits;
    };
  },
};

export const resources: Filter = {
  name: "NodeResourcesFit",
  liftedBy: ["node", "pod gone"],
  isLiftedByPreemption: true,
  prepare({ requests }) {
    const wanted = [...requests].filter(([, amount]) => amount > 0);
    return ({ allocatable, requested, pods }) => {
      const lacking: string[] = [];
      if (pods.size + 1 > (allocatable.get("pods") ?? 0)) lacking.push("Too many pods");
      for (const [resource, amount] of wanted) {
        const free = (allocatable.get(resource) ?? 0) - (requested.get(resource) ?? 0);
        if (amount > free) lacking.push(`Insufficient ${resource}`);
      }
      return lacking;
    };
  },
};
