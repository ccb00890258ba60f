import assert from "node:assert/strict";
import { test } from "node:test";
import { platforms, readInstallConfig } from "../config/config.ts";
import { dualStackVips, sample } from "../config/testing/sample.ts";
import { decide } from "./decide.ts";
import { infrastructureManifest } from "./manifest.ts";

test("[VIP-2, VIP-10] an installation begins with an object that is in step with itself, also when its status is dropped", () => {
  for (const platform of platforms) {
    const { api, ingress } = platform.fields;
    const given = { [api.list]: dualStackVips.apiVIPs, [ingress.list]: dualStackVips.ingressVIPs };
    const { config, errors } = readInstallConfig(sample({ [platform.name]: given }));
    assert.deepEqual(errors, []);
    assert.ok(config !== undefined);
    const manifest = infrastructureManifest(config);
    const status = manifest.status?.platformStatus?.[platform.name];
    assert.equal(status?.apiServerInternalIP, "192.168.111.5");
    assert.deepEqual(status?.ingressIPs, dualStackVips.ingressVIPs);
    const { desired, refused, warnings } = decide(manifest, around);
    assert.deepEqual([refused, warnings], [[], []]);
    assert.deepEqual(desired.spec, manifest.spec);
    assert.deepEqual(desired.status?.platformStatus, manifest.status?.platformStatus);

    const { status: _, ...created } = manifest;
    const restored = decide(created, around).desired.status;
    assert.deepEqual(restored?.platformStatus, manifest.status?.platformStatus, platform.name);
    assert.equal(restored?.infrastructureName, config.name);
  }
});

const around = { now: new Date(), nodes: [], podNetworks: [], serviceNetworks: [] };
