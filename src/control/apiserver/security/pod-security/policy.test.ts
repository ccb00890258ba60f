import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodSpec } from "../../../../api/types/core.ts";
import { type Level, levelText, policyOf, privilegedPolicy, violations } from "./policy.ts";

const securityContext = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};
const strict = { name: "a", securityContext };
const pod = (fields: object) => ({ containers: [strict], ...fields }) as PodSpec;
const own = (fields: object) =>
  pod({ containers: [{ ...strict, securityContext: { ...securityContext, ...fields } }] });
const withVolume = (source: object) => pod({ volumes: [{ name: "v", ...source }] });
const windows = pod({ os: { name: "windows" }, containers: [{ name: "a" }] });
const asRoot = { runAsNonRoot: false, runAsUser: 0 };
const nested = { ...own({ ...asRoot, procMount: "Unmasked" }), hostUsers: false };
const apparmor = "container.apparmor.security.beta.kubernetes.io/a";
const seccomp = "seccomp.security.alpha.kubernetes.io/pod";
const sysctl = (name: string) => pod({ securityContext: { sysctls: [{ name, value: "1" }] } });

/** Level, minor version, pod, the reasons; annotations. */
const table: [Level, number | "latest", PodSpec, string, Record<string, string>?][] = [
  ["privileged", "latest", own({ privileged: true }), ""],
  ["baseline", "latest", pod({}), ""],
  ["restricted", "latest", pod({}), ""],
  ["restricted", 99, pod({}), ""],
  ["baseline", 0, own({ privileged: true }), "privileged"],
  ["baseline", 34, own({ procMount: "Unmasked" }), "procMount"],
  ["baseline", 35, nested, ""],
  ["baseline", 34, nested, "procMount"],
  ["restricted", "latest", nested, "procMount"],
  ["restricted", 34, nested, "procMount, runAsNonRoot != true, runAsUser=0"],
  ["restricted", 22, own({ runAsUser: 0 }), ""],
  ["restricted", 23, own({ runAsUser: 0 }), "runAsUser=0"],
  [
    "restricted",
    24,
    windows,
    "allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile",
  ],
  ["restricted", 25, windows, "runAsNonRoot != true"],
  ["restricted", 7, pod({ containers: [{ name: "a" }] }), "runAsNonRoot != true"],
  ["restricted", 18, own({ seccompProfile: undefined }), ""],
  ["restricted", 19, own({ seccompProfile: undefined }), "seccompProfile"],
  ["restricted", 21, own({ capabilities: { add: ["SYS_ADMIN"] } }), "non-default capabilities"],
  ["restricted", 22, own({ capabilities: { add: ["SYS_ADMIN"] } }), "unrestricted capabilities"],
  ["baseline", "latest", withVolume({ hostPath: { path: "/" } }), "hostPath volumes"],
  ["restricted", "latest", withVolume({ hostPath: { path: "/" } }), "restricted volume types"],
  ["restricted", "latest", withVolume({ nfs: {} }), "restricted volume types"],
  ["restricted", "latest", withVolume({ image: {} }), ""],
  ["baseline", 26, sysctl("net.ipv4.ip_local_reserved_ports"), "forbidden sysctls"],
  ["baseline", 27, sysctl("net.ipv4.ip_local_reserved_ports"), ""],
  ["baseline", 31, sysctl("net.ipv4.tcp_rmem"), "forbidden sysctls"],
  ["baseline", 32, sysctl("net.ipv4.tcp_rmem"), ""],
  ["baseline", 30, own({ seLinuxOptions: { type: "container_engine_t" } }), "seLinuxOptions"],
  ["baseline", 31, own({ seLinuxOptions: { type: "container_engine_t" } }), ""],
  [
    "baseline",
    33,
    pod({ containers: [{ ...strict, livenessProbe: { tcpSocket: { host: "h" } } }] }),
    "",
  ],
  [
    "baseline",
    34,
    pod({ containers: [{ ...strict, livenessProbe: { tcpSocket: { host: "h" } } }] }),
    "probe or lifecycle host",
  ],
  ["baseline", "latest", own({ windowsOptions: { hostProcess: true } }), "hostProcess"],
  ["baseline", "latest", pod({ hostIPC: true }), "host namespaces"],
  ["baseline", "latest", pod({}), "forbidden AppArmor profile", { [apparmor]: "unconfined" }],
  ["baseline", 18, pod({}), "seccompProfile", { [seccomp]: "unconfined" }],
  ["baseline", 19, pod({}), "", { [seccomp]: "unconfined" }],
];
for (const [level, version, spec, expected, annotations = {}] of table) {
  const text = levelText({ level, version });
  test(`[SEC-5] ${text} of ${JSON.stringify(spec).slice(0, 90)}: ${expected || "allowed"}`, () => {
    const found = violations({ spec, annotations }, { level, version });
    assert.equal(found.map(({ reason }) => reason).join(", "), expected);
  });
}

test("[SEC-5] a label that cannot be read enforces the strictest level, and warns of nothing", () => {
  const label = "pod-security.kubernetes.io/";
  const { policy, errors } = policyOf(
    { [`${label}enforce`]: "x", [`${label}warn`]: "y", [`${label}audit-version`]: "1.2" },
    privilegedPolicy,
  );
  assert.equal(levelText(policy.enforce), "restricted:latest");
  assert.equal(levelText(policy.warn), "privileged:latest");
  assert.equal(errors.length, 3);
});

test("[SEC-5] whoever enforces a level is warned of it, in the same version", () => {
  const label = "pod-security.kubernetes.io/";
  const { policy } = policyOf(
    { [`${label}enforce`]: "baseline", [`${label}enforce-version`]: "v1.30" },
    privilegedPolicy,
  );
  assert.equal(levelText(policy.warn), "baseline:v1.30");
  assert.equal(levelText(policy.audit), "privileged:latest");
});
