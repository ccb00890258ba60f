// The etcd datastore on genuine etcd, in the clear and with TLS and a password.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { EtcdClient, prefixEnd } from "../../src/base/etcd/client.ts";
import type { EtcdSettings } from "../../src/node/ipam/config/datastore.ts";
import { openDatastore } from "../../src/node/ipam/datastore/open.ts";
import { datastoreContract } from "../../src/node/ipam/datastore/testing/contract.ts";
import { IpamError } from "../../src/node/ipam/errors.ts";
import { type EtcdFixture, type EtcdFixtureOptions, startEtcd } from "../fixtures/etcd.ts";

const kinds: Record<string, EtcdFixtureOptions> = {
  plain: {},
  secured: { tls: true, rootPassword: "p w" },
};

for (const [kind, options] of Object.entries(kinds)) {
  describe(`etcd datastore, ${kind}`, () => {
    let etcd: EtcdFixture;
    before(async () => {
      etcd = await startEtcd(options);
    });
    after(() => etcd?.[Symbol.asyncDispose]());

    datastoreContract(kind, async () => ({
      connect: () => openDatastore(settingsOf(etcd)),
      dispose: async () => {
        const client = new EtcdClient(etcd.client);
        await client.deleteRange({ key: "/", rangeEnd: prefixEnd("/") });
        client.close();
      },
    }));
  });
}

test("[IPAM-6] [IPAM-7] a wrong password is an error of its own, not one to try again", async () => {
  await using etcd = await startEtcd({ rootPassword: "right" });
  const datastore = await openDatastore({ ...settingsOf(etcd), password: "wrong" });
  await assert.rejects(
    datastore.reservations(),
    (error) => error instanceof IpamError && error.code === 5,
  );
  await datastore.close();
});

function settingsOf({ client, certificates }: EtcdFixture): EtcdSettings {
  return {
    type: "etcd",
    endpoints: client.endpoints,
    ...(client.user && { username: client.user.name, password: client.user.password }),
    ...(certificates && {
      caFile: certificates.ca,
      certFile: certificates.cert,
      keyFile: certificates.key,
    }),
  };
}
