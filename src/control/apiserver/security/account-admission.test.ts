import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openEmbedded } from "../../store/embedded/open.system.ts";
import type { OpenAccess } from "../ports.ts";
import { type Answer, startServer, type TestServer } from "../testing/start.ts";
import { createAuthority, openAuthority } from "./authority.ts";
import { createGuard } from "./guard.ts";
import { generateServiceAccountKey } from "./service-account-token.ts";

const now = () => new Date();
const pods = "/api/v1/namespaces/default/pods";
const scope = new AsyncDisposableStack();
let server: TestServer;
let second: TestServer;
before(async () => {
  const authority = await openAuthority(await createAuthority("test", { now }), { now });
  const serviceAccountKey = generateServiceAccountKey();
  const issuer = "https://test";
  const directory = await mkdtemp(join(tmpdir(), "apiserver-accounts-"));
  scope.defer(() => rm(directory, { recursive: true }));
  const store = await openEmbedded({ directory });
  scope.defer(() => store.close());
  const access: OpenAccess = (objects) =>
    createGuard({ objects, authority, serviceAccountKey, issuer, now });
  server = scope.use(await startServer({ store, access }));
  second = scope.use(await startServer({ store, access }));
});
after(() => scope.disposeAsync());

const podNamed = (name: string, spec: object = {}, annotations: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, annotations },
  spec: { containers: [{ name: "one", image: "one" }], ...spec },
});
const create = (body: object, path = pods, headers = {}): Promise<Answer> =>
  server.send("POST", path, { body, headers });
const asNode = (name: string) => ({
  "impersonate-user": `system:node:${name}`,
  "impersonate-group": "system:nodes",
});

interface Spec {
  readonly serviceAccountName?: string;
  readonly volumes?: readonly { readonly name: string }[];
}

test("[API-3] a pod runs as an account and has its token", async () => {
  const { status, json } = await create(podNamed("plain"));
  assert.equal(status, 201);
  const { serviceAccountName, volumes } = json["spec"] as Spec;
  assert.equal(serviceAccountName, "default");
  assert.match(volumes?.[0]?.name ?? "", /^kube-api-access-[a-z0-9]{5}$/);
  assert.ok(!JSON.stringify(json["metadata"]).includes("f:volumes"), "nobody asked for it");
});

test("[API-3] the first pod of a namespace need not wait for its account", async () => {
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: "fresh" } };
  await create(body, "/api/v1/namespaces");
  const { status, text } = await create(podNamed("p"), "/api/v1/namespaces/fresh/pods");
  assert.equal(status, 201, text);
});

test("[API-3] not even on another server", async () => {
  for (const name of Array.from({ length: 20 }, (_, index) => `fresh-${index}`)) {
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await create(body, "/api/v1/namespaces");
    const path = `/api/v1/namespaces/${name}/pods`;
    const { status, text } = await second.send("POST", path, { body: podNamed("p") });
    assert.equal(status, 201, text);
  }
});

test("[API-3] an account that is not there is refused, as is a namespace", async () => {
  const { status, json } = await create(podNamed("lost", { serviceAccountName: "nobody" }));
  assert.equal(status, 403);
  assert.equal(
    json["message"],
    'pods "lost" is forbidden: error looking up service account default/nobody: serviceaccount "nobody" not found',
  );
  const nowhere = await create(podNamed("p"), "/api/v1/namespaces/nowhere/pods");
  assert.equal(nowhere.json["message"], 'namespaces "nowhere" not found');
});

test("[API-3] what a node shows of its own has no account", async () => {
  const mirror = { "kubernetes.io/config.mirror": "x" };
  const shown = await create(podNamed("static-a", { nodeName: "a" }, mirror), pods, asNode("a"));
  assert.equal(shown.status, 201, shown.text);
  const { serviceAccountName, volumes } = shown.json["spec"] as Spec;
  assert.deepEqual([serviceAccountName, volumes], [undefined, undefined]);
  const claims = podNamed("claims", { nodeName: "a", serviceAccountName: "default" }, mirror);
  const refused = await create(claims);
  assert.match(refused.text, /a mirror pod may not reference service accounts/);
});

test("[API-3] a node gets tokens for the pods it runs, and no others", async () => {
  const uidOf = ({ json }: Answer) => (json["metadata"] as { uid: string }).uid;
  const here = uidOf(await create(podNamed("here", { nodeName: "a" })));
  const there = uidOf(await create(podNamed("there", { nodeName: "b" })));
  const request = (boundObjectRef?: object) =>
    create(
      { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { boundObjectRef } },
      "/api/v1/namespaces/default/serviceaccounts/default/token",
      asNode("a"),
    );
  const bound = (name: string, uid?: string) => ({ kind: "Pod", apiVersion: "v1", name, uid });
  const issued = await request(bound("here", here));
  assert.equal(issued.status, 201, issued.text);
  const { token } = issued.json["status"] as { token: string };
  const claims = JSON.parse(
    Buffer.from(token.split(".")[1] ?? "", "base64url").toString(),
  ) as Record<string, { pod: { name: string } }>;
  assert.equal(claims["kubernetes.io"]?.pod.name, "here");
  const refusals: [reference: object | undefined, why: RegExp][] = [
    [undefined, /not bound to a pod/],
    [bound("here"), /without a uid/],
    [bound("there", there), /on a different node/],
    [bound("here", there), /does not match the UID in record/],
  ];
  for (const [reference, why] of refusals) {
    const { status, text } = await request(reference);
    assert.ok(status === 403 || status === 409, text);
    assert.match(text, why);
  }
});
