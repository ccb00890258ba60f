// A machine with a token to join tries to become somebody: an administrator, another node, the server.
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { createBootstrapToken } from "../../src/control/apiserver/security/bootstrap-token.ts";
import { createCertificateRequest } from "../../src/node/join/certificate-request.ts";
import { type GuardedServer, node, type Person, startGuarded } from "../fixtures/guarded-server.ts";

const secrets = "/api/v1/namespaces/kube-system/secrets";
const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const bootstrapper: Person = { name: "system:bootstrap:abcdef", groups: ["system:bootstrappers"] };
const server = {
  dnsNames: ["kubernetes", "kubernetes.default.svc", "api.example.test", "machine"],
  addresses: ["192.0.2.100", "127.0.0.1"],
  hostName: "machine",
};

describe("[SEC-3] joining", () => {
  let guarded: GuardedServer;
  before(async () => {
    guarded = await startGuarded({ guard: { server } });
    await register("alive", ["192.0.2.1", "2001:db8::1"]);
    await register("dead", ["192.0.2.2"]);
    const spec = { holderIdentity: "alive", leaseDurationSeconds: 3600, renewTime: microTime() };
    await must("POST", leases, { metadata: { name: "alive" }, spec });
    const old = { ...spec, holderIdentity: "dead", renewTime: "2020-01-01T00:00:00.000000Z" };
    await must("POST", leases, { metadata: { name: "dead" }, spec: old });
    await must("POST", "/api/v1/namespaces/default/services", {
      metadata: { name: "lb" },
      spec: { ports: [{ port: 80 }], externalIPs: ["192.0.2.50"] },
    });
    await must("POST", "/apis/config.openshift.io/v1/infrastructures", {
      metadata: { name: "cluster" },
      spec: {},
    });
    await must("PATCH", "/apis/config.openshift.io/v1/infrastructures/cluster/status", {
      status: { platformStatus: { type: "BareMetal", baremetal: { ingressIPs: ["192.0.2.60"] } } },
    });
  });
  after(() => guarded[Symbol.asyncDispose]());

  async function must(method: string, path: string, body: object): Promise<void> {
    const answer = await guarded.admin(method, path, body);
    assert.ok(answer.status < 300, answer.text);
  }

  async function register(name: string, addresses: readonly string[]): Promise<void> {
    await must("POST", "/api/v1/nodes", { metadata: { name }, spec: {} });
    const all = addresses.map((address) => ({ type: "InternalIP", address }));
    await must("PATCH", `/api/v1/nodes/${name}/status`, { status: { addresses: all } });
  }

  async function join(nodeName: string, addresses: readonly string[], who = bootstrapper) {
    const [client, serving] = [await createCertificateRequest(), await createCertificateRequest()];
    const requests = { clientRequest: client.request, servingRequest: serving.request };
    return await guarded.as(who)("POST", "/tandem/join", { nodeName, addresses, ...requests });
  }

  async function refused(nodeName: string, addresses: readonly string[], who = bootstrapper) {
    const answer = await join(nodeName, addresses, who);
    assert.equal(answer.status, 403, answer.text);
    return String(answer.json["message"]);
  }

  const servingOf = ({ json }: { json: Record<string, unknown> }) =>
    new X509Certificate(String(json["servingCertificate"]));

  test("[SEC-3] a token cannot take the name of a node that is alive, and can of one that is dead", async () => {
    assert.match(await refused("alive", ["192.0.2.9"]), /there is a node of this name/);
    const answer = await join("dead", ["192.0.2.2"]);
    assert.equal(answer.status, 200, answer.text);
  });

  test("[SEC-3] names of the API server are no names of nodes", async () => {
    for (const name of ["kubernetes", "kubernetes.default.svc", "api.example.test"]) {
      assert.match(await refused(name, ["192.0.2.9"]), /is a name of the API server/);
    }
    for (const name of ["web.shop.svc", "a.cluster.local", "alive.announcer.tandem.internal"]) {
      assert.match(await refused(name, ["192.0.2.9"]), /is a name of services or of another node/);
    }
    for (const name of ["a..b", "UPPER", "a/b", "system:x", ""]) {
      assert.equal((await join(name, [])).status, 400, name);
    }
  });

  test("[SEC-3] addresses of other nodes, services and virtual ones are not certified", async () => {
    const cases: [address: string, holder: RegExp][] = [
      ["192.0.2.1", /an address of the node alive/],
      ["2001:db8:0::1", /an address of the node alive/],
      ["10.96.0.1", /an address of services/],
      ["10.96.200.7", /an address of services/],
      ["192.0.2.50", /of the service default\/lb/],
      ["192.0.2.60", /a virtual address/],
    ];
    for (const [address, holder] of cases) {
      assert.match(await refused("new", ["192.0.2.9", address]), holder, address);
    }
  });

  test("[SEC-3] the API server's addresses and its machine's name are in no node's certificate", async () => {
    const answer = await join("machine", ["192.0.2.9", "192.0.2.100", "127.0.0.1"]);
    assert.equal(answer.status, 200, answer.text);
    const certificate = servingOf(answer);
    assert.equal(certificate.checkIP("192.0.2.100"), undefined);
    assert.equal(certificate.checkIP("127.0.0.1"), undefined);
    assert.equal(certificate.checkHost("machine", { subject: "never" }), undefined);
    assert.equal(certificate.checkIP("192.0.2.9"), "192.0.2.9");
  });

  test("[SEC-3] a node gets certificates of its own addresses, and of no other node", async () => {
    const itself = node("alive");
    assert.equal((await join("alive", ["192.0.2.1"], itself)).status, 200);
    const why = await refused("alive", ["192.0.2.1", "192.0.2.77"], itself);
    assert.match(why, /its Node object does not have the address 192\.0\.2\.77/);
    assert.match(await refused("dead", ["192.0.2.2"], itself), /the node itself/);
  });

  describe("[SEC-2] tokens", () => {
    const tokenWith = async (data: Record<string, string>) => {
      const { token, secret } = createBootstrapToken({ expires: new Date(Date.now() + 600_000) });
      const more = Object.entries(data).map(([key, value]) => [key, btoa(value)] as const);
      const body = { ...secret, data: { ...secret.data, ...Object.fromEntries(more) } };
      await must("POST", secrets, body);
      return token;
    };
    const whoIs = async (token: string) => {
      const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
      const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
      const answer = await guarded.bearer(token)("POST", path, review);
      if (answer.status === 401) return undefined;
      assert.equal(answer.status, 201, answer.text);
      const { status } = answer.json as { status?: { userInfo: { groups: string[] } } };
      return status?.userInfo.groups;
    };

    test("[SEC-2] a token brings no groups but those of bootstrappers", async () => {
      for (const groups of [
        "system:masters",
        "system:bootstrappers:ok,system:masters",
        "system:nodes",
      ]) {
        assert.equal(await whoIs(await tokenWith({ "auth-extra-groups": groups })), undefined);
      }
      const fine = await tokenWith({ "auth-extra-groups": "system:bootstrappers:kubeadm:x" });
      assert.deepEqual(await whoIs(fine), [
        "system:bootstrappers",
        "system:bootstrappers:kubeadm:x",
        "system:authenticated",
      ]);
    });

    test("[SEC-2] a Secret is a token only under its own name", async () => {
      assert.equal(await whoIs(await tokenWith({ "token-id": "aaaaaa" })), undefined);
    });

    test("[SEC-2] tokens as kubeadm stores them are known", async () => {
      const expiration = new Date(Date.now() + 600_000).toISOString();
      const data = {
        "token-id": "kubead",
        "token-secret": "0123456789abcdef",
        "usage-bootstrap-authentication": "true",
        expiration,
      };
      const metadata = { name: "bootstrap-token-kubead" };
      await must("POST", secrets, {
        metadata,
        type: "bootstrap.kubernetes.io/token",
        stringData: data,
      });
      assert.ok((await whoIs("kubead.0123456789abcdef"))?.includes("system:bootstrappers"));
      assert.equal(await whoIs("kubead.0123456789abcdee"), undefined);
    });
  });
});

function microTime(): string {
  return new Date().toISOString().replace("Z", "000Z");
}
