import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { startEtcd } from "../fixtures/etcd.ts";
import { adds, survivesStorm } from "../fixtures/ipam-weather.ts";
import { TestServer } from "../fixtures/server.ts";

const scratch = mkdtempSync(join(tmpdir(), "tandem-ipam-"));
after(() => rmSync(scratch, { recursive: true }));

const promise = `${adds} ADDs and DELs by 64 processes, some killed: no duplicate, no leak`;
const timeout = 900_000;

test(`[IPAM-8] [IPAM-10] local: ${promise}`, { timeout }, async () => {
  const dataDir = join(scratch, "data");
  await survivesStorm({
    scratch: join(scratch, "local"),
    settings: { type: "local", dataDir },
    ipam: { datastore: "local", data_dir: dataDir },
  });
});

test(`[IPAM-8] [IPAM-10] etcd: ${promise}`, { timeout }, async () => {
  await using etcd = await startEtcd();
  const { endpoints } = etcd.client;
  await survivesStorm({
    scratch: join(scratch, "etcd"),
    settings: { type: "etcd", endpoints },
    ipam: { datastore: "etcd", etcd_host: endpoints.join(",") },
  });
});

test(`[IPAM-8] [IPAM-10] kubernetes: ${promise}`, { timeout }, async () => {
  await using server = await TestServer.start({
    // Here others look after what is left behind.
    arguments: ["--controllers=*,-ipam-reservations"],
  });
  const { kubeconfig } = server;
  const pods = "/api/v1/namespaces/default/pods";
  await survivesStorm({
    scratch: join(scratch, "kubernetes"),
    settings: { type: "kubernetes", kubeconfig },
    ipam: { kubernetes: { kubeconfig } },
    onPod: async (state, name) => {
      const spec = { containers: [{ name: "c", image: "none" }] };
      const pod = { apiVersion: "v1", kind: "Pod", metadata: { name }, spec };
      if (state === "created") await server.call("POST", pods, pod);
      else await server.call("DELETE", `${pods}/${name}?gracePeriodSeconds=0`);
    },
  });
});
