// The checks that the level "restricted" adds, which harden a container further.
import type { Volume } from "../../../../api/types/core.ts";
import { procMount } from "./baseline.ts";
import {
  type Check,
  type CheckedPod,
  called,
  containersOf,
  distinct,
  hasOwnUsers,
  isWindows,
  namesWhere,
  plural,
  quoted,
  setters,
  type Violation,
} from "./check.ts";
import { seccompRequired } from "./profiles.ts";

const volumes = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];
/** The volume types that are not allowed, in the order they are looked for if a volume has several. */
const otherVolumes = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "gitRepo",
  "nfs",
  "iscsi",
  "glusterfs",
  "rbd",
  "flexVolume",
  "cinder",
  "cephfs",
  "flocker",
  "fc",
  "azureFile",
  "vsphereVolume",
  "quobyte",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "storageos",
];

/** The checks, sorted by id, as messages name them. */
export const restricted: readonly Check[] = [
  {
    id: "allowPrivilegeEscalation",
    versions: [
      { since: 8, check: privilegeEscalation },
      { since: 25, check: unlessWindows(privilegeEscalation) },
    ],
  },
  {
    id: "capabilities_restricted",
    replaces: ["capabilities_baseline"],
    versions: [
      { since: 22, check: capabilities },
      { since: 25, check: unlessWindows(capabilities) },
    ],
  },
  {
    id: "procMount_restricted",
    replaces: ["procMount"],
    versions: [{ since: 35, check: procMount }],
  },
  {
    id: "restrictedVolumes",
    replaces: ["hostPathVolumes"],
    versions: [{ since: 0, check: volumeTypes }],
  },
  {
    id: "runAsNonRoot",
    versions: [
      { since: 0, check: nonRoot },
      { since: 35, check: (pod) => (hasOwnUsers(pod) ? undefined : nonRoot(pod)) },
    ],
  },
  {
    id: "runAsUser",
    versions: [
      { since: 23, check: rootUser },
      { since: 35, check: (pod) => (hasOwnUsers(pod) ? undefined : rootUser(pod)) },
    ],
  },
  {
    id: "seccompProfile_restricted",
    replaces: ["seccompProfile_baseline"],
    versions: [
      { since: 19, check: seccompRequired },
      { since: 25, check: unlessWindows(seccompRequired) },
    ],
  },
];

function unlessWindows(check: (pod: CheckedPod) => Violation | undefined) {
  return (pod: CheckedPod) => (isWindows(pod) ? undefined : check(pod));
}

function privilegeEscalation(pod: CheckedPod): Violation | undefined {
  const bad = namesWhere(pod, (one) => one.securityContext?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${called("container", bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
}

function capabilities(pod: CheckedPod): Violation | undefined {
  const of = (one: { securityContext?: { capabilities?: { add?: string[]; drop?: string[] } } }) =>
    one.securityContext?.capabilities ?? {};
  const keeping = namesWhere(pod, (one) => !(of(one).drop ?? []).includes("ALL"));
  const others = (add: readonly string[] = []) => add.filter((each) => each !== "NET_BIND_SERVICE");
  const adding = namesWhere(pod, (one) => others(of(one).add).length > 0);
  const added = distinct(containersOf(pod).flatMap((one) => others(of(one).add)));
  const details = [
    ...(keeping.length > 0
      ? [`${called("container", keeping)} must set securityContext.capabilities.drop=["ALL"]`]
      : []),
    ...(adding.length > 0
      ? [
          `${called("container", adding)} must not include ${quoted(added)} in securityContext.capabilities.add`,
        ]
      : []),
  ];
  if (details.length === 0) return undefined;
  return { reason: "unrestricted capabilities", detail: details.join("; ") };
}

function volumeTypes({ spec }: CheckedPod): Violation | undefined {
  const has = (volume: Volume, types: readonly string[]) => {
    const given = new Map(Object.entries(volume));
    return types.find((type) => given.get(type) !== undefined);
  };
  const bad = (spec.volumes ?? []).filter((volume) => has(volume, volumes) === undefined);
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name }) => name);
  const types = distinct(bad.map((volume) => has(volume, otherVolumes) ?? "unknown"));
  const verb = names.length === 1 ? "uses" : "use";
  const what = `${plural("restricted volume type", types.length)} ${quoted(types)}`;
  return {
    reason: "restricted volume types",
    detail: `${called("volume", names)} ${verb} ${what}`,
  };
}

function nonRoot(pod: CheckedPod): Violation | undefined {
  const own = pod.spec.securityContext?.runAsNonRoot;
  const explicit = namesWhere(pod, (one) => one.securityContext?.runAsNonRoot === false);
  const reason = "runAsNonRoot != true";
  if (own === false || explicit.length > 0) {
    const who = setters(own === false, explicit);
    return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  }
  if (own === true) return undefined;
  const implicit = namesWhere(pod, (one) => one.securityContext?.runAsNonRoot === undefined);
  if (implicit.length === 0) return undefined;
  const who = `pod or ${called("container", implicit)}`;
  return { reason, detail: `${who} must set securityContext.runAsNonRoot=true` };
}

function rootUser(pod: CheckedPod): Violation | undefined {
  const isPod = pod.spec.securityContext?.runAsUser === 0;
  const bad = namesWhere(pod, (one) => one.securityContext?.runAsUser === 0);
  if (!isPod && bad.length === 0) return undefined;
  return { reason: "runAsUser=0", detail: `${setters(isPod, bad)} must not set runAsUser=0` };
}
