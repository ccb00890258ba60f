import assert from "node:assert/strict";
import { test } from "node:test";
import type { Container, Pod, PodSpec, ServiceAccount } from "../../types/core.ts";
import { takeFromAccount } from "./account.ts";

const directory = "/var/run/secrets/kubernetes.io/serviceaccount";
const mount = { name: "kube-api-access-abcde", readOnly: true, mountPath: directory };
const volume = {
  name: "kube-api-access-abcde",
  projected: {
    defaultMode: 420,
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      {
        downwardAPI: {
          items: [
            { path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } },
          ],
        },
      },
    ],
  },
};

function completed(spec: Partial<PodSpec>, account: Partial<ServiceAccount> = {}): PodSpec {
  const metadata = { namespace: "shop", name: "p" };
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: { containers: [{ name: "one" }], ...structuredClone(spec) },
  };
  takeFromAccount(
    pod,
    { apiVersion: "v1", kind: "ServiceAccount", metadata, ...account },
    "kube-api-access-abcde",
  );
  return pod.spec;
}

test("every container finds the token where clients look for it", () => {
  const { volumes, containers, initContainers } = completed({ initContainers: [{ name: "two" }] });
  assert.deepEqual(volumes, [volume]);
  assert.deepEqual(containers[0]?.volumeMounts, [mount]);
  assert.deepEqual(initContainers?.[0]?.volumeMounts, [mount]);
});

test("a container that mounts something there itself keeps it", () => {
  const own: Container = { name: "one", volumeMounts: [{ name: "own", mountPath: directory }] };
  const given = { containers: [own], volumes: [{ name: "own", emptyDir: {} }] };
  assert.deepEqual(completed(given), given);
  const { containers } = completed({ ...given, containers: [own, { name: "two" }] });
  assert.deepEqual(
    containers.map(({ volumeMounts }) => volumeMounts?.map(({ name }) => name)),
    [["own"], [mount.name]],
  );
});

test("a volume of this kind that is there is used", () => {
  const { volumes, containers } = completed({ volumes: [{ name: "kube-api-access-mine" }] });
  assert.deepEqual(volumes, [{ name: "kube-api-access-mine" }]);
  assert.equal(containers[0]?.volumeMounts?.[0]?.name, "kube-api-access-mine");
});

const wishes: [pod: boolean | undefined, account: boolean | undefined, mounted: boolean][] = [
  [undefined, undefined, true],
  [undefined, false, false],
  [false, true, false],
  [true, false, true],
];
for (const [pod, account, mounted] of wishes) {
  test(`mounting as the pod says (${pod}), else as its account does (${account})`, () => {
    const { volumes = [] } = completed(
      pod === undefined ? {} : { automountServiceAccountToken: pod },
      account === undefined ? {} : { automountServiceAccountToken: account },
    );
    assert.equal(volumes.length > 0, mounted);
  });
}

test("secrets for images come from the account unless the pod names its own", () => {
  const account = { imagePullSecrets: [{ name: "registry" }] };
  assert.deepEqual(completed({}, account).imagePullSecrets, [{ name: "registry" }]);
  const own = completed({ imagePullSecrets: [{ name: "own" }] }, account);
  assert.deepEqual(own.imagePullSecrets, [{ name: "own" }]);
});
