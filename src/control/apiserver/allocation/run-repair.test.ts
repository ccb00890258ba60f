import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { FakeRandom } from "../../../base/host/random.fake.ts";
import { createLog } from "../../../base/program/log.ts";
import { openEmbedded } from "../../store/embedded/open.system.ts";
import { encodeStored } from "../cache/item.ts";
import { objectKey } from "../keys.ts";
import { addressCollection, encodeAddress, encodePort, nodePortKey } from "./reservations.ts";
import { repairAllocations } from "./run-repair.ts";

const now = () => new Date("2026-01-01T00:00:00Z");
const log = createLog({ write: () => undefined, format: "text" });

test("[SVC-5] what no service holds is freed, what one holds is reserved, and others' objects stay", async () => {
  const directory = await mkdtemp(join(tmpdir(), "tandem-repair-"));
  const store = await openEmbedded({ directory });
  try {
    const random = new FakeRandom();
    const address = (ip: string) => objectKey(addressCollection, "", ip);
    const put = async (key: string, value: Uint8Array) =>
      await store.commit({ compare: [], operations: [{ type: "put", key, value }] });
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { namespace: "default", name: "web" },
      spec: {
        type: "NodePort",
        clusterIPs: ["10.96.0.9"],
        ports: [{ port: 80, nodePort: 30_001 }],
      },
    };
    await put("/registry/core/services/default/web", encodeStored(service));
    const gone = { namespace: "default", name: "gone" };
    await put(address("10.96.0.7"), encodeAddress("10.96.0.7", gone, { now: now(), random }));
    await put(nodePortKey(30_007), encodePort(gone));
    const foreign = {
      apiVersion: "networking.k8s.io/v1",
      kind: "IPAddress",
      metadata: {},
      spec: {},
    };
    await put(address("10.96.0.8"), encodeStored(foreign));

    const findings = await repairAllocations({ store, log, now, random });
    assert.equal(findings.length, 4, findings.join("\n"));
    assert.equal(await store.get(address("10.96.0.7")), undefined);
    assert.equal(await store.get(nodePortKey(30_007)), undefined);
    for (const key of [address("10.96.0.8"), address("10.96.0.9"), nodePortKey(30_001)]) {
      assert.ok(await store.get(key), key);
    }
    assert.deepEqual(
      await repairAllocations({ store, log, now, random }),
      [],
      "nothing is left to do",
    );
  } finally {
    await store.close();
    await rm(directory, { recursive: true });
  }
});
