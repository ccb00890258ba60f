import assert from "node:assert/strict";
import { test } from "node:test";
import { parseStoreAddress } from "../../control/store/store.ts";
import { etcdWords, storeAddress } from "./etcd-address.ts";

test("[INST-1] an etcd of the operator's is named as for kube-apiserver, and the server understands it", () => {
  assert.equal(storeAddress({ etcdServers: [] }), "embedded");
  const several = storeAddress({
    etcdServers: ["https://192.0.2.10:2379", "https://[2001:db8::11]:2379"],
    etcdCafile: "/etc/etcd/ca.crt",
    etcdCertfile: "/etc/etcd/client.crt",
    etcdKeyfile: "/etc/etcd/client.key",
  });
  assert.equal(
    several,
    "etcd://192.0.2.10:2379,[2001:db8::11]:2379?ca=/etc/etcd/ca.crt&cert=/etc/etcd/client.crt&key=/etc/etcd/client.key",
  );
  assert.equal(parseStoreAddress(several).type, "etcd");
  assert.equal(
    etcdWords(several).join(" "),
    "--etcd-servers https://192.0.2.10:2379,https://[2001:db8::11]:2379 --etcd-cafile /etc/etcd/ca.crt " +
      "--etcd-certfile /etc/etcd/client.crt --etcd-keyfile /etc/etcd/client.key",
  );
  assert.equal(
    storeAddress({ etcdServers: ["http://127.0.0.1:2379"] }),
    "etcd+http://127.0.0.1:2379",
  );
});

test("addresses of etcd that are none, or of two kinds, are refused", () => {
  for (const wrong of ["192.0.2.10:2379", "https://192.0.2.10", "ftp://x:1"]) {
    assert.throws(() => storeAddress({ etcdServers: [wrong] }), /Cannot use --etcd-servers/);
  }
  assert.throws(() => storeAddress({ etcdServers: ["https://a:1", "http://b:1"] }), /some http/);
});
