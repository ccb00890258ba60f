import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { sysctlPath, sysctlScope } from "../../../api/kinds/pod.ts";
import type { PodSpec, Sysctl } from "../../../api/types/core.ts";
import { podOf } from "../testing/pod.ts";
import { refusalOf } from "./admit.ts";
import { parseSysctlPatterns } from "./sysctls.ts";

function refused(spec: Partial<PodSpec>, allowedSysctls: readonly string[] = []): string {
  const pod = podOf("web");
  const refusal = refusalOf({ ...pod, spec: { ...pod.spec, ...spec } }, { allowedSysctls });
  return refusal === undefined ? "" : `${refusal.reason}: ${refusal.message}`;
}

function withSysctls(...names: string[]): Partial<PodSpec> {
  const sysctls: Sysctl[] = names.map((name) => ({ name, value: "1" }));
  return { securityContext: { sysctls } };
}

describe("[SEC-1] settings of the kernel", () => {
  test("are those that are safe, written with dots or slashes", () => {
    const safe = ["kernel.shm_rmid_forced", "net/ipv4/tcp_syncookies", "net.ipv4.tcp_rmem"];
    assert.equal(refused(withSysctls(...safe)), "");
    assert.equal(
      refused(withSysctls("net.ipv4.ip_forward")),
      'SysctlForbidden: Pod was rejected: forbidden sysctl: "net.ipv4.ip_forward" not allowlisted',
    );
  });

  test("are others only where the node allows them", () => {
    const allowed = parseSysctlPatterns(["kernel.msg*", "net/core/somaxconn"]);
    assert.equal(refused(withSysctls("kernel.msgmax", "net.core.somaxconn"), allowed), "");
    assert.match(refused(withSysctls("kernel.shmmax"), allowed), /^SysctlForbidden/);
    assert.match(refused(withSysctls("net.core.somaxconnx"), allowed), /^SysctlForbidden/);
  });

  test("are never those of the machine, whatever the node allows", () => {
    for (const name of ["kernel.core_pattern", "vm.swappiness", "fs.file-max", "kernel.*", "*"]) {
      assert.throws(() => parseSysctlPatterns([name]), /Cannot use --allowed-unsafe-sysctls/);
      assert.match(refused(withSysctls(name), [name, "*"]), /^SysctlForbidden/);
    }
    const backwards = "net.ipv4/../../../kernel/core_pattern";
    assert.match(refused(withSysctls(backwards), ["net.*", backwards]), /^SysctlForbidden/);
  });

  test("are not those of a namespace that the pod shares with the node", () => {
    const port = withSysctls("net.ipv4.ip_unprivileged_port_start");
    assert.match(refused({ ...port, hostNetwork: true }), /not allowed with host net enabled$/);
    const shm = withSysctls("kernel.shm_rmid_forced");
    assert.match(refused({ ...shm, hostIPC: true }), /not allowed with host ipc enabled$/);
  });

  test("have no path outside of their namespace's", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."net.ipv4/_-k".split("")) }), (name) => {
        const scope = sysctlScope(name);
        const path = sysctlPath(name);
        if (scope !== undefined) assert.match(path, /^(?:net|kernel|fs\/mqueue)\//);
        if (scope !== undefined) assert.ok(!path.split("/").includes(".."));
      }),
    );
  });
});

describe("[SEC-5] what protects and is not supported", () => {
  test("keeps a pod from running: profiles, levels and resources that this node does not know", () => {
    const profile = { type: "RuntimeDefault" as const };
    const level = { level: "s0:c1,c2" };
    const inContainer = (securityContext: object): Partial<PodSpec> => ({
      containers: [{ name: "main", image: "x", securityContext }],
    });
    const withResources = (resources: object): Partial<PodSpec> => ({
      containers: [{ name: "main", image: "x", resources }],
    });
    const inMount = (mount: object): Partial<PodSpec> => ({
      containers: [
        { name: "main", image: "x", volumeMounts: [{ name: "v", mountPath: "/v", ...mount }] },
      ],
    });
    const cases: readonly [Partial<PodSpec>, RegExp][] = [
      [{ securityContext: { appArmorProfile: profile } }, /^AppArmor: .*Cannot enforce AppArmor/],
      [inContainer({ appArmorProfile: profile }), /^AppArmor: /],
      [{ securityContext: { seLinuxOptions: level } }, /spec\.securityContext\.seLinuxOptions/],
      [inContainer({ seLinuxOptions: level }), /containers\[0\]\.securityContext\.seLinuxOptions/],
      [inContainer({ windowsOptions: { hostProcess: true } }), /windowsOptions: this node runs/],
      [
        inMount({ mountPropagation: "HostToContainer" }),
        /volumeMounts\[0\]\.mountPropagation HostToContainer: mounts are not propagated/,
      ],
      [inMount({ mountPropagation: "Bidirectional" }), /mountPropagation Bidirectional/],
      [{ resourceClaims: [{ name: "gpu" }] }, /spec\.resourceClaims: dynamic resource/],
      [withResources({ claims: [{ name: "gpu" }] }), /containers\[0\]\.resources\.claims/],
      [{ resources: { limits: { memory: "1Gi" } } }, /spec\.resources\.limits/],
      [{ os: { name: "windows" } }, /^PodOSNotSupported/],
    ];
    for (const [spec, message] of cases) assert.match(refused(spec), message);
  });

  test("lets pass what asks for nothing", () => {
    const unconfined = { type: "Unconfined" as const };
    assert.equal(refused({ securityContext: { appArmorProfile: unconfined } }), "");
    const volumeMounts = [{ name: "v", mountPath: "/v", mountPropagation: "None" as const }];
    assert.equal(refused({ containers: [{ name: "main", image: "x", volumeMounts }] }), "");
    assert.equal(refused({ resources: { requests: { cpu: "1" } } }), "");
    assert.equal(refused({ securityContext: { seLinuxOptions: {} }, os: { name: "linux" } }), "");
  });
});
