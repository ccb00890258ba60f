// The contract of the service, with either database behind it.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { systemCommands } from "../../../base/host/command.system.ts";
import { systemLocks } from "../../../base/host/lock.system.ts";
import { createLog } from "../../../base/program/log.ts";
import { Registry } from "../../../base/program/metrics.ts";
import { useDatabase } from "../database/use.system.ts";
import { openInstallService } from "../program.ts";

type Json = Record<string, unknown>;

const networks = {
  machine_networks: [{ cidr: "192.168.111.0/24" }, { cidr: "fd00:111::/64" }],
  cluster_networks: [
    { cidr: "10.128.0.0/14", host_prefix: 23 },
    { cidr: "fd01::/48", host_prefix: 64 },
  ],
  service_networks: [{ cidr: "172.30.0.0/16" }, { cidr: "fd02::/112" }],
};
const pair = {
  api_vips: [{ ip: "192.168.111.5" }, { ip: "fd00:111::5" }],
  ingress_vips: [{ ip: "192.168.111.4" }, { ip: "fd00:111::4" }],
};
const wanted = { name: "ostest", base_dns_domain: "example.com", openshift_version: "4.16" };
const dual: Json = { ...wanted, ...networks, ...pair };

interface Reply {
  readonly status: number;
  readonly etag: string | null;
  readonly body: Json;
}

export function installServiceContract(name: string, database: () => Promise<string>): void {
  describe(`the install service on ${name}`, () => {
    const stop = new AbortController();
    let base = "";
    let url = "";
    let running = Promise.resolve();
    before(async () => {
      url = await database();
      const service = await openInstallService({
        database: url,
        listen: [{ host: "127.0.0.1", port: 0 }],
        now: () => new Date(),
        newId: () => randomUUID(),
        locks: systemLocks(systemCommands()),
        log: createLog({ write: () => undefined, format: "json" }),
        metrics: new Registry(),
      });
      base = `http://${service.addresses[0]}`;
      running = service.run(stop.signal);
    });
    after(async () => {
      stop.abort();
      await running;
    });

    const send = async (
      method: string,
      path: string,
      options: { body?: unknown; etag?: string } = {},
    ) => {
      const response = await fetch(`${base}/api/assisted-install/v2${path}`, {
        method,
        headers: { connection: "close", ...(options.etag && { "if-match": options.etag }) },
        ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
      });
      const { status, headers } = response;
      return { status, etag: headers.get("etag"), text: await response.text() };
    };
    const ask = async (...request: Parameters<typeof send>): Promise<Reply> => {
      const { text, ...reply } = await send(...request);
      return { ...reply, body: (text === "" ? {} : JSON.parse(text)) as Json };
    };
    const listClusters = async () => JSON.parse((await send("GET", "/clusters")).text) as Json[];
    const create = async (body: Json = dual) => {
      const reply = await ask("POST", "/clusters", { body });
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
      return { path: `/clusters/${String(reply.body["id"])}`, ...reply };
    };
    const ips = (vips: unknown) => (vips as { ip: string }[]).map(({ ip }) => ip);

    test("[VIP-6] a cluster is created, read, listed, changed and deleted", async () => {
      const { path, body } = await create();
      const { id: cluster_id } = body;
      assert.equal(body["api_vip"], "192.168.111.5", "old clients find what they know");
      assert.deepEqual(body["ingress_vips"], [
        { cluster_id, ip: "192.168.111.4", verification: "unverified" },
        { cluster_id, ip: "fd00:111::4", verification: "unverified" },
      ]);
      assert.deepEqual((await ask("GET", path)).body, body);
      const listed = await listClusters();
      assert.ok(listed.some((one) => one["id"] === cluster_id));

      const changed = await ask("PATCH", path, { body: { name: "renamed" } });
      assert.equal(changed.status, 201);
      assert.deepEqual(changed.body["api_vips"], body["api_vips"], "what is not given stays");

      assert.equal((await ask("DELETE", path)).status, 204);
      assert.equal((await ask("GET", path)).status, 404);
      assert.equal((await ask("DELETE", path)).status, 404);
      const left = await listClusters();
      assert.ok(!left.some((one) => one["id"] === cluster_id));
    });

    test("[VIP-6] old and new clients take turns, and none loses the other's VIPs", async () => {
      const single = {
        ...wanted,
        ...networks,
        api_vip: "192.168.111.5",
        ingress_vip: "192.168.111.4",
      };
      const { path, body } = await create(single);
      assert.deepEqual(ips(body["api_vips"]), ["192.168.111.5"]);
      await ask("PATCH", path, { body: pair });
      const old = await ask("PATCH", path, { body: { api_vip: "192.168.111.6" } });
      assert.deepEqual(ips(old.body["api_vips"]), ["192.168.111.6", "fd00:111::5"]);
      const whole = await ask("PATCH", path, { body: old.body });
      assert.deepEqual(whole.body["api_vips"], old.body["api_vips"], "read, and written back");
      const cleared = await ask("PATCH", path, { body: { api_vip: "", ingress_vip: null } });
      assert.deepEqual(cleared.body["api_vips"], []);
      assert.equal(cleared.body["ingress_vip"], "");
    });

    test("[VIP-6] the order of VIPs is the writer's, and their spelling the canonical one", async () => {
      const reversed = Object.fromEntries(
        Object.entries({ ...networks, ...pair }).map(([key, list]) => [key, list.toReversed()]),
      );
      const spelled = { api_vips: [{ ip: "FD00:111:0::5" }, { ip: "192.168.111.5" }] };
      const { path } = await create({ ...wanted, ...reversed, ...spelled });
      const { body } = await ask("GET", path);
      assert.deepEqual(ips(body["api_vips"]), ["fd00:111::5", "192.168.111.5"]);
      assert.equal(body["api_vip"], "fd00:111::5");
    });

    test("[VIP-6] of two who change what they both read, the second one is told", async () => {
      const { path, etag } = await create();
      assert.equal(etag, '"1"');
      const first = await ask("PATCH", path, { body: { name: "first" }, etag: '"1"' });
      assert.deepEqual([first.status, first.etag], [201, '"2"']);
      const second = await ask("PATCH", path, { body: { name: "second" }, etag: '"1"' });
      assert.equal(second.status, 412);
      assert.equal((await ask("DELETE", path, { etag: '"1"' })).status, 412);
      assert.equal((await ask("PATCH", path, { body: {}, etag: "nonsense" })).status, 412);
      assert.equal((await ask("GET", path)).body["name"], "first");
    });

    test("[VIP-6] changes without a generation never undo each other", async () => {
      const { path } = await create();
      const bodies = [
        { name: "a" },
        { base_dns_domain: "b.example" },
        { openshift_version: "4.17" },
        { api_vip: "192.168.111.7" },
      ];
      await Promise.all(bodies.map((body) => ask("PATCH", path, { body })));
      const { body } = await ask("GET", path);
      assert.deepEqual(
        [body["name"], body["base_dns_domain"], body["openshift_version"], body["api_vip"]],
        ["a", "b.example", "4.17", "192.168.111.7"],
      );
      assert.equal(body["generation"], 5);
    });

    test("[VIP-6] a request that is wrong is refused with everything that is, and changes nothing", async () => {
      const { path, body } = await create();
      const wrong = { api_vips: [{ ip: "10.1.1.1" }, { ip: "10.1.1.2" }], name: 7 };
      const reply = await ask("PATCH", path, { body: wrong });
      assert.equal(reply.status, 400);
      assert.deepEqual(reply.body["problems"], ["name: Invalid value: 7: must be a text"]);
      const refused = await ask("PATCH", path, { body: { ...wrong, name: "x" } });
      assert.deepEqual(refused.body["problems"], [
        "dual-stack apiVIPs must include exactly one IPv6 address",
        "api-vip <10.1.1.1> does not belong to machine-network-cidr <192.168.111.0/24>",
        "api-vip <10.1.1.2> does not belong to machine-network-cidr <fd00:111::/64>",
      ]);
      assert.equal(refused.body["code"], "400");
      assert.deepEqual((await ask("GET", path)).body, body);
    });

    test("[VIP-6] an old field that names the second VIP is told so, and a misspelled field by its name", async () => {
      const { path } = await create();
      const second = await ask("PATCH", path, { body: { api_vip: "FD00:111::5" } });
      assert.equal(second.status, 400);
      assert.deepEqual(second.body["problems"], [
        "apiVIP must be the same as the first element of apiVIPs: FD00:111::5 is the second one, after 192.168.111.5",
      ]);
      const misspelled = await ask("PATCH", path, { body: { apiVips: [] } });
      assert.deepEqual(misspelled.body["problems"], [
        'unknown field "apiVips": did you mean api_vips?',
      ]);
      assert.equal((await ask("PATCH", path, { body: { pull_secret: "x" } })).status, 201);
    });

    test("[VIP-6] a database that a service uses is not migrated under it", async () => {
      const locks = systemLocks(systemCommands());
      const use = (isShared: boolean) => useDatabase(url, { locks, isShared, timeoutMs: 0 });
      assert.equal(await use(false), undefined, "a migration has to wait");
      const beside = await use(true);
      assert.ok(beside !== undefined, "another service need not");
      await beside[Symbol.asyncDispose]();
      const { path } = await create();
      assert.equal((await ask("GET", path)).status, 200);
    });

    test("the service describes itself, and answers what it does not know", async () => {
      const document = (await (await fetch(`${base}/openapi.json`)).json()) as { paths: Json };
      const paths = Object.keys(document.paths);
      assert.deepEqual(paths, [
        "/api/assisted-install/v2/clusters",
        "/api/assisted-install/v2/clusters/{cluster_id}",
      ]);
      assert.equal((await ask("GET", "/nothing")).status, 404);
      assert.equal((await ask("DELETE", "/clusters")).status, 405);
      const ready = await fetch(`${base}/readyz`);
      assert.equal(await ready.text(), "ok");
      const bad = await fetch(`${base}/api/assisted-install/v2/clusters`, {
        method: "POST",
        body: "{",
      });
      assert.equal(bad.status, 400);
    });
  });
}
