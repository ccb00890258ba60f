// Pods that would get out of their containers, in namespaces that allow less.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { readPodSecurity } from "../../src/control/apiserver/security/pod-security/configuration.ts";
import { until } from "../fixtures/controllers.ts";
import { type GuardedServer, startGuarded } from "../fixtures/guarded-server.ts";

const enforce = "pod-security.kubernetes.io/enforce";
const safe = {
  name: "main",
  image: "example.test/tool:1",
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    runAsNonRoot: true,
    seccompProfile: { type: "RuntimeDefault" },
  },
};

describe("[SEC-5] Pod Security", () => {
  let guarded: GuardedServer;
  const audit: string[] = [];
  before(async () => {
    guarded = await startGuarded({ audit: (line) => void audit.push(line) });
    await namespace("open", {});
    await namespace("baseline", { [enforce]: "baseline" });
    await namespace("restricted", { [enforce]: "restricted" });
    await namespace("old", { [enforce]: "restricted", [`${enforce}-version`]: "v1.18" });
    await namespace("warned", {
      "pod-security.kubernetes.io/warn": "restricted",
      "pod-security.kubernetes.io/audit": "baseline",
    });
  });
  after(() => guarded[Symbol.asyncDispose]());

  async function namespace(name: string, labels: Record<string, string>): Promise<void> {
    const answer = await guarded.admin("POST", "/api/v1/namespaces", {
      metadata: { name, labels },
    });
    assert.equal(answer.status, 201, answer.text);
    const account = { metadata: { name: "default" } };
    await guarded.admin("POST", `/api/v1/namespaces/${name}/serviceaccounts`, account);
  }

  let count = 0;
  const create = (where: string, spec: object, metadata: object = {}) =>
    guarded.admin("POST", `/api/v1/namespaces/${where}/pods`, {
      metadata: { name: `pod-${count++}`, ...metadata },
      spec: { automountServiceAccountToken: false, containers: [safe], ...spec },
    });
  const container = (fields: object) => ({ containers: [{ ...safe, ...fields }] });
  const context = (fields: object) =>
    container({ securityContext: { ...safe.securityContext, ...fields } });

  const escapes: [what: string, spec: object, message: RegExp, metadata?: object][] = [
    ["the host's network", { hostNetwork: true }, /host namespaces \(hostNetwork=true\)/],
    [
      "the host's processes",
      { hostPID: true, hostIPC: true },
      /host namespaces \(hostPID=true, hostIPC=true\)/,
    ],
    [
      "privilege",
      context({ privileged: true, allowPrivilegeEscalation: true }),
      /privileged \(container "main" must not set securityContext\.privileged=true\)/,
    ],
    [
      "capabilities",
      context({ capabilities: { add: ["SYS_ADMIN", "NET_RAW"], drop: ["ALL"] } }),
      /must not include "NET_RAW", "SYS_ADMIN" in securityContext\.capabilities\.add/,
    ],
    [
      "the host's files",
      { volumes: [{ name: "root", hostPath: { path: "/" } }] },
      /hostPath volumes \(volume "root"\)/,
    ],
    [
      "a port of the host",
      container({ ports: [{ containerPort: 80, hostPort: 80 }] }),
      /hostPort \(container "main" uses hostPort 80\)/,
    ],
    [
      "no AppArmor",
      { securityContext: { appArmorProfile: { type: "Unconfined" } } },
      /forbidden AppArmor profile \(pod must not set AppArmor profile type to "Unconfined"\)/,
    ],
    [
      "no seccomp",
      { securityContext: { seccompProfile: { type: "Unconfined" } } },
      /pod must not set securityContext\.seccompProfile\.type to "Unconfined"/,
    ],
    [
      "SELinux of its own",
      { securityContext: { seLinuxOptions: { type: "spc_t", user: "root" } } },
      /seLinuxOptions \(pod set forbidden securityContext\.seLinuxOptions: type "spc_t"; user may not be set\)/,
    ],
    [
      "a sysctl",
      { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } },
      /forbidden sysctls \(kernel\.msgmax\)/,
    ],
    [
      "a probe of another host",
      container({ livenessProbe: { httpGet: { port: 80, host: "169.254.169.254" } } }),
      /probe or lifecycle host \(container "main" uses probe or lifecycle host "169\.254\.169\.254"\)/,
    ],
  ];
  for (const [what, spec, message, metadata] of escapes) {
    test(`[SEC-5] baseline refuses ${what}, and a namespace without labels allows it`, async () => {
      const refused = await create("baseline", spec, metadata);
      assert.equal(refused.status, 403, refused.text);
      assert.match(String(refused.json["message"]), message);
      assert.match(String(refused.json["message"]), /violates PodSecurity "baseline:latest": /);
      const allowed = await create("open", spec, metadata);
      assert.equal(allowed.status, 201, allowed.text);
    });
  }

  test("[SEC-5] restricted names all that is missing, in Kubernetes' words", async () => {
    const plain = { containers: [{ name: "main", image: "example.test/tool:1" }] };
    const { status, json } = await create("restricted", plain, { name: "plain" });
    assert.equal(status, 403);
    assert.equal(
      json["message"],
      'pods "plain" is forbidden: violates PodSecurity "restricted:latest": ' +
        'allowPrivilegeEscalation != false (container "main" must set securityContext.allowPrivilegeEscalation=false), ' +
        'unrestricted capabilities (container "main" must set securityContext.capabilities.drop=["ALL"]), ' +
        'runAsNonRoot != true (pod or container "main" must set securityContext.runAsNonRoot=true), ' +
        'seccompProfile (pod or container "main" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    );
    assert.equal((await create("restricted", {})).status, 201);
    assert.equal((await create("baseline", plain)).status, 201);
  });

  test("[SEC-5] a runtime class that is not there is refused, not ignored", async () => {
    const { status, json } = await create("open", { runtimeClassName: "gvisor" }, { name: "gv" });
    assert.equal(status, 403);
    const why = 'pods "gv" is forbidden: pod rejected: RuntimeClass "gvisor" not found';
    assert.equal(json["message"], why);
  });

  test("[SEC-5] an older version of a level is the level as it was", async () => {
    const then = { name: "main", image: "x", securityContext: { allowPrivilegeEscalation: false } };
    const spec = { securityContext: { runAsNonRoot: true }, containers: [then] };
    assert.equal((await create("old", spec)).status, 201);
    assert.equal((await create("restricted", spec)).status, 403);
  });

  test("[SEC-5] workloads are warned of, and their pods refused", async () => {
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { hostNetwork: true, containers: [safe] } };
    const path = "/apis/apps/v1/namespaces/baseline/deployments";
    const answer = await guarded.admin("POST", path, {
      metadata: { name: "web" },
      spec: { selector: { matchLabels: labels }, template },
    });
    assert.equal(answer.status, 201, answer.text);
    assert.match(
      String(answer.headers["warning"]),
      /would violate PodSecurity \\"baseline:latest\\": host namespaces \(hostNetwork=true\)/,
    );
    const warned = await create("warned", { hostNetwork: true });
    assert.equal(warned.status, 201, warned.text);
    assert.match(
      String(warned.headers["warning"]),
      /would violate PodSecurity \\"restricted:latest/,
    );
    const audited = await until(
      () => audit.filter((line) => line.includes("audit-violations")),
      (lines) => lines.length > 0,
    );
    assert.match(
      audited[0] ?? "",
      /audit-violations":"would violate PodSecurity .{2}baseline:latest/,
    );
  });

  test("[SEC-5] a pod gets no ephemeral container, and no image, that its level forbids", async () => {
    const made = await create("restricted", {}, { name: "calm" });
    assert.equal(made.status, 201, made.text);
    const path = "/api/v1/namespaces/restricted/pods/calm";
    const debug = { name: "debug", image: "x", securityContext: { privileged: true } };
    const answer = await guarded.admin("PATCH", `${path}/ephemeralcontainers`, {
      spec: { ephemeralContainers: [debug] },
    });
    assert.equal(answer.status, 403, answer.text);
    assert.match(answer.text, /container \\"debug\\" must not set securityContext.privileged=true/);
    const labelled = await guarded.admin("PATCH", path, { metadata: { labels: { a: "b" } } });
    assert.equal(labelled.status, 200, labelled.text);
  });

  test("[SEC-5] labels that say nothing known are refused, and a stricter level names pods that violate it", async () => {
    const bad = await guarded.admin("POST", "/api/v1/namespaces", {
      metadata: { name: "bad", labels: { [enforce]: "paranoid", [`${enforce}-version`]: "v2.0" } },
    });
    assert.equal(bad.status, 422, bad.text);
    assert.match(bad.text, /must be one of privileged, baseline, restricted/);
    assert.match(bad.text, /must be \\"latest\\" or \\"v1\.x\\"/);
    await namespace("growing", {});
    await create("growing", { hostNetwork: true }, { name: "a" });
    await create("growing", { hostNetwork: true }, { name: "b" });
    const answer = await guarded.admin("PATCH", "/api/v1/namespaces/growing", {
      metadata: { labels: { [enforce]: "baseline" } },
    });
    assert.equal(answer.status, 200);
    const warning = String(answer.headers["warning"]);
    assert.match(
      warning,
      /existing pods in namespace \\"growing\\" violate the new PodSecurity enforce/,
    );
    assert.match(warning, /a \(and 1 other pod\): host namespaces/);
  });
});

test("[SEC-5] a file gives the cluster levels of its own, and exempts users, namespaces and classes", async () => {
  const text = `
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults: { enforce: baseline, enforce-version: v1.36 }
    exemptions: { usernames: [trusted], namespaces: [kube-system], runtimeClasses: [] }
`;
  await using guarded = await startGuarded({ guard: { podSecurity: readPodSecurity(text, "f") } });
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["create"] }];
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  await guarded.admin("POST", `${rbac}/clusterroles`, { metadata: { name: "pods" }, rules });
  const names = ["trusted", "untrusted"];
  const group = "rbac.authorization.k8s.io";
  await guarded.admin("POST", `${rbac}/clusterrolebindings`, {
    metadata: { name: "pods" },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: "pods" },
    subjects: names.map((name) => ({ apiGroup: group, kind: "User", name })),
  });
  const create = async (name: string, where: string) =>
    await guarded.as({ name })("POST", `/api/v1/namespaces/${where}/pods`, {
      metadata: { name },
      spec: { hostPID: true, containers: [safe] },
    });
  assert.equal((await create("untrusted", "default")).status, 403);
  assert.equal((await create("trusted", "default")).status, 201);
  assert.equal((await create("untrusted", "kube-system")).status, 201);
  for (const [wrong, why] of [
    [
      text.replace("enforce: baseline", "enforce: total"),
      /defaults\.enforce: "total" must be one of/,
    ],
    [text.replace("usernames:", "people:"), /exemptions\.people: there is no such field/],
    [text.replace("name: PodSecurity", "name: Other"), /plugins: "Other" cannot be configured/],
  ] as const) {
    assert.throws(() => readPodSecurity(wrong, "f"), why);
  }
});
