import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeApi } from "../../api/client/testing/api.ts";
import { defined } from "../../base/json/defined.ts";
import type { Address } from "../../base/net/address.ts";
import { encodeReport, reportAnnotation } from "../../edge/vip/runtime/report.ts";
import {
  type Infrastructure,
  infrastructures,
} from "../../install/infrastructure/infrastructure.ts";
import { haveSettled, makeInfrastructure } from "./infrastructure.ts";
import { resolveSettings } from "./settings.ts";

const settings = resolveSettings({ name: "x", controlPlanes: 3 });
const start = Date.parse("2026-01-01T00:00:10Z");

test("[VIP-2] the Infrastructure object has the virtual addresses, and is left alone afterwards", async () => {
  const { client } = new FakeApi();
  await makeInfrastructure(client, settings, { namesVips: false });
  const resource = client.custom<Infrastructure>(infrastructures);
  const made = await resource.get({ name: "cluster" });
  const text = JSON.stringify(made);
  for (const vip of [...settings.apiVips, ...settings.ingressVips]) {
    assert.equal(text.split(`"${vip}"`).length - 1, 2, `${vip} in spec and status`);
  }
  await makeInfrastructure(client, settings, { namesVips: false });
  assert.deepEqual(await resource.get({ name: "cluster" }), made);
});

test("[VIP-9] virtual addresses that are named when a cluster comes up again are asked for in its spec", async () => {
  const { client } = new FakeApi();
  const [v4, v6] = [0, 1].map((index) => ({
    apiVips: settings.apiVips.slice(0, index + 1),
    ingressVips: settings.ingressVips.slice(0, index + 1),
  }));
  await makeInfrastructure(client, { ...settings, ...v4 }, { namesVips: true });
  await makeInfrastructure(client, { ...settings, ...v6 }, { namesVips: false });
  const resource = client.custom<Infrastructure>(infrastructures);
  const asked = async () =>
    (await resource.get({ name: "cluster" })).spec?.platformSpec?.baremetal?.apiServerInternalIPs;
  assert.deepEqual(await asked(), ["192.168.111.8"]);
  const again = { ...settings, ...v6 };
  await makeInfrastructure(client, again, { namesVips: true });
  assert.deepEqual(await asked(), ["192.168.111.8", "fd00:111::8"]);
  const options = { since: start, namesVips: true };
  assert.equal(await haveSettled(client, again, options), false, "not in force yet");
  const message = "VIP 'fd00:111::8' cannot be found in any machine network";
  const { generation } = (await resource.get({ name: "cluster" })).metadata;
  const conditions = [
    {
      type: "Degraded",
      status: "True",
      reason: "SpecRefused",
      message,
      lastTransitionTime: "",
      ...defined({ observedGeneration: generation }),
    },
  ];
  await resource.patchStatus({ name: "cluster" }, { merge: { status: { conditions } } });
  await assert.rejects(haveSettled(client, again, options), /Cannot use apiVips=.*cannot be found/);
});

interface Part {
  readonly holds?: readonly Address[];
  readonly at?: number;
  readonly takesPart?: boolean;
}

const both = settings.apiVips;
const situations: readonly [what: string, parts: readonly Part[], isSettled: boolean][] = [
  ["nobody holds them", [{}, {}, {}], false],
  ["the oldest holds them", [{ holds: both }, {}, {}], true],
  ["another holds them", [{}, { holds: both }, {}], false],
  ["two hold them", [{ holds: both }, { holds: both }, {}], false],
  ["the pair is apart", [{ holds: both.slice(0, 1) }, { holds: both.slice(1) }, {}], false],
  ["one does not take part yet", [{ holds: both }, {}, { takesPart: false }], false],
  ["they were held before the start", [{ holds: both, at: start - 1 }, {}, {}], false],
];

for (const [what, parts, isSettled] of situations) {
  test(`[VIP-3] virtual addresses have settled when ${what}: ${isSettled}`, async () => {
    const { client } = new FakeApi();
    await makeInfrastructure(client, settings, { namesVips: false });
    for (const [index, { holds = [], at = start, takesPart = true }] of parts.entries()) {
      const report = {
        takesPart: takesPart ? both : [],
        holds: holds.map((vip) => ({ vip, since: new Date(at) })),
        failing: [],
      };
      const metadata = {
        name: `control-plane-${index + 1}`,
        labels: { "node-role.kubernetes.io/control-plane": "" },
        annotations: { [reportAnnotation]: encodeReport(report) },
      };
      await client.resource("v1", "Node").create({ metadata, spec: {} });
    }
    assert.equal(
      await haveSettled(client, settings, { since: start, namesVips: false }),
      isSettled,
    );
  });
}
