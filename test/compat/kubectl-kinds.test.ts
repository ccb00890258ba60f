// The kinds that are served from tables alone, as kubectl shows and applies them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forEveryKubectl } from "../fixtures/kubectl.ts";

const manifest = (suffix: string) => `
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv-${suffix}}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  hostPath: {path: /tmp/${suffix}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: claim}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: class-${suffix}}
provisioner: example.com/none
---
apiVersion: v1
kind: LimitRange
metadata: {name: limits}
spec: {limits: [{type: Container, default: {cpu: 100m}}]}
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: runtime-${suffix}}
handler: sandbox
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hooks-${suffix}}
webhooks: []
`;

forEveryKubectl("[API-7] kinds from tables", (given) => {
  test("are applied, twice, and shown in their columns", async () => {
    const text = manifest(given.namespace);
    const apply = () => given.kubectl.pipe(text, "apply", "-f", "-");
    assert.match(await apply(), /persistentvolume\/pv-\S+ created/);
    assert.match(await apply(), /persistentvolumeclaim\/claim unchanged/);
    try {
      const claims = await given.kubectl.run("get", "pvc");
      assert.match(claims, /^NAME +STATUS +VOLUME +CAPACITY +ACCESS MODES +STORAGECLASS/);
      assert.match(claims, /^claim +Pending/m);
      const volumes = await given.kubectl.run("get", "pv", `pv-${given.namespace}`);
      assert.match(volumes, /1Gi +RWO +Retain +Pending/);
      const classes = await given.kubectl.run("get", "sc", `class-${given.namespace}`);
      assert.match(classes, /example.com\/none +Delete +Immediate +false/);
      assert.match(await given.kubectl.run("get", "limits"), /^limits/m);
    } finally {
      await given.kubectl.pipe(text, "delete", "--wait=false", "-f", "-");
    }
  });

  test("are refused with the field and the values that there are", async () => {
    const text = manifest(given.namespace).replace("[ReadWriteOnce]", "[ReadWriteTwice]");
    const { code, stderr } = await given.kubectl.try(["apply", "-f", "-"], { stdin: text });
    await given.kubectl.try(["delete", "--wait=false", "-f", "-"], { stdin: text });
    assert.notEqual(code, 0);
    assert.match(stderr, /spec.accessModes: Unsupported value: "ReadWriteTwice": supported values/);
  });
});
