// All objects made of a service and its pods, for tests.

import type { Pod, Service } from "../../../../api/types/core.ts";
import { backendsOf } from "../backend.ts";
import { groupsOf } from "../slice-groups.ts";
import { subsetsOf } from "../subsets.ts";
import { publicFamilies } from "../wanted-families.ts";

const zones: Readonly<Record<string, string>> = { n1: "east", n2: "west" };

export function made(service: Service, pods: readonly Pod[]) {
  const backends = backendsOf(service, pods, { zoneOf: (node) => zones[node] });
  const { trafficDistribution: distribution } = service.spec;
  const groups = groupsOf(backends, { lasting: publicFamilies(service), distribution });
  return { backends, groups, ...subsetsOf(backends) };
}
