// Certificates by the API: genuine kubectl approves and denies, and nobody gets another's identity.

import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { defined } from "../../src/base/json/defined.ts";
import { until } from "../fixtures/controllers.ts";
import { type Body, TestServer } from "../fixtures/server.ts";

const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const group = "rbac.authorization.k8s.io";
const client = "kubernetes.io/kube-apiserver-client";
const nodeClient = "kubernetes.io/kube-apiserver-client-kubelet";
const serving = "kubernetes.io/kubelet-serving";
const clientUsages = ["digital signature", "client auth"];
const servingUsages = ["digital signature", "server auth"];
const kubectl = new URL("../../tools/fetch-kubectl", import.meta.url).pathname;

interface Request extends Body {
  readonly spec: { readonly username: string; readonly groups: readonly string[] };
  readonly status: {
    readonly certificate?: string;
    readonly conditions?: readonly { readonly type: string; readonly message?: string }[];
  };
}

describe("[SEC-3] certificate requests", { timeout: 240_000 }, () => {
  let server: TestServer;
  let directory: string;
  let program: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "tandem-csr-"));
    server = await TestServer.start({
      arguments: ["--controllers=certificate-signing,certificate-approving"],
    });
    program = (await systemCommands().run([kubectl, "1.36"], { timeoutMs: 300_000 })).stdout.trim();
    await must("POST", "/api/v1/nodes", { metadata: { name: "worker" }, spec: {} });
    const self = "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient";
    await must("POST", `${rbac}/clusterrolebindings`, {
      metadata: { name: "self" },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: self },
      subjects: [{ apiGroup: group, kind: "Group", name: "system:nodes" }],
    });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  async function must(method: string, where: string, body: object): Promise<Body> {
    const answer = await server.call(method, where, body);
    assert.ok(answer.code < 300, answer.text);
    return answer.body;
  }

  const run = (...words: string[]) =>
    systemCommands().run([program, `--kubeconfig=${server.kubeconfig}`, ...words], {
      environment: { HOME: directory },
      timeoutMs: 60_000,
    });

  /** A key and a request for it, by OpenSSL. */
  async function requestOf(subject: string, names?: string): Promise<string> {
    const file = join(directory, `${Math.random()}`.slice(2));
    const made = "openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes".split(" ");
    const files = ["-keyout", `${file}.key`, "-out", `${file}.csr`];
    const extension = names === undefined ? [] : ["-addext", `subjectAltName=${names}`];
    await systemCommands().run([...made, ...files, "-subj", subject, ...extension]);
    return (await readFile(`${file}.csr`)).toString("base64");
  }

  /** Asks in somebody's name. */
  async function ask(
    name: string,
    spec: { request: string; signerName: string; usages: readonly string[] },
    as: { user?: string; groups?: readonly string[] } = {},
  ) {
    return await server.send("POST", path, {
      body: JSON.stringify({ metadata: { name }, spec }),
      headers: defined({ "impersonate-user": as.user, "impersonate-group": as.groups?.join(", ") }),
    });
  }

  const read = async (name: string) =>
    (await server.call("GET", `${path}/${name}`)).body as Request;
  const issued = async (name: string) => {
    const { status } = await until(
      () => read(name),
      (one) => one.status.certificate !== undefined,
    );
    return new X509Certificate(Buffer.from(status.certificate ?? "", "base64"));
  };
  const node = { user: "system:node:worker", groups: ["system:nodes"] };
  const nodeSubject = "/O=system:nodes/CN=system:node:worker";

  test("[SEC-3] kubectl approves: the certificate is of the asked subject, and works", async () => {
    const request = await requestOf("/O=team/CN=ann");
    const spec = { request, signerName: client, usages: clientUsages };
    const asked = await ask("ann", spec);
    assert.equal(asked.code, 201, asked.text);
    assert.equal((asked.body as Request).spec.username, "kubernetes-admin");
    assert.match((await run("get", "csr", "ann")).stdout, /Pending/);
    await run("certificate", "approve", "ann");
    const certificate = await issued("ann");
    assert.equal(certificate.subject, "O=team\nCN=ann");
    assert.match((await run("get", "csr", "ann")).stdout, /Approved,Issued/);
  });

  test("[SEC-3] kubectl denies, and nothing is signed", async () => {
    const request = await requestOf("/CN=eve");
    await ask("eve", { request, signerName: client, usages: clientUsages });
    await run("certificate", "deny", "eve");
    assert.match((await run("get", "csr", "eve")).stdout, /Denied/);
    const both = await server.call("GET", `${path}/eve`);
    const approved = { type: "Approved", status: "True" };
    const conditions = [...((both.body as Request).status.conditions ?? []), approved];
    const answer = await server.call("PUT", `${path}/eve/approval`, {
      ...both.body,
      status: { conditions },
    });
    assert.equal(answer.code, 422, answer.text);
    assert.match(answer.text, /mutually exclusive/);
  });

  test("[SEC-2] nobody asks for system:masters, or in another's name, or approves without the right", async () => {
    const request = await requestOf("/O=system:masters/CN=root");
    const masters = await ask("root", { request, signerName: client, usages: clientUsages });
    assert.equal(masters.code, 403, masters.text);
    assert.match(masters.text, /with system:masters group is not allowed/);
    const spec = { request: await requestOf("/CN=x"), signerName: client, usages: clientUsages };
    const forged = { ...spec, username: "system:node:worker", groups: ["system:masters"] };
    assert.equal((await ask("forged", forged)).code, 201);
    assert.equal((await read("forged")).spec.username, "kubernetes-admin");
    const rules = [
      {
        apiGroups: ["certificates.k8s.io"],
        resources: ["certificatesigningrequests/approval", "certificatesigningrequests/status"],
        verbs: ["update"],
      },
    ];
    await must("POST", `${rbac}/clusterroles`, { metadata: { name: "half" }, rules });
    await must("POST", `${rbac}/clusterrolebindings`, {
      metadata: { name: "half" },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "half" },
      subjects: [{ apiGroup: group, kind: "User", name: "half" }],
    });
    const conditions = [{ type: "Approved", status: "True" }];
    const body = JSON.stringify({ ...(await read("forged")), status: { conditions } });
    const headers = { "impersonate-user": "half" };
    const approval = await server.send("PUT", `${path}/forged/approval`, { body, headers });
    assert.equal(approval.code, 403, approval.text);
    assert.match(approval.text, /user not permitted to approve requests with signerName/);
    const status = await server.send("PUT", `${path}/forged/status`, { body, headers });
    assert.equal(status.code, 422, status.text);
    const signed = { ...(await read("forged")), status: { certificate: "AAAA" } };
    const text = JSON.stringify(signed);
    const signing = await server.send("PUT", `${path}/forged/status`, { body: text, headers });
    assert.equal(signing.code, 403, signing.text);
  });

  test("[SEC-3] a node's next client certificate is approved by itself; another's waits", async () => {
    const request = await requestOf(nodeSubject);
    const own = await ask("own", { request, signerName: nodeClient, usages: clientUsages }, node);
    assert.equal(own.code, 201, own.text);
    assert.equal((await issued("own")).subject, "O=system:nodes\nCN=system:node:worker");
    const approved = (await read("own")).status.conditions?.find(({ type }) => type === "Approved");
    assert.match(approved?.message ?? "", /Auto approving self kubelet client certificate/);
    const stranger = { user: "system:bootstrap:abcdef", groups: ["system:bootstrappers"] };
    const spec = { request, signerName: nodeClient, usages: clientUsages };
    await must("POST", `${rbac}/clusterrolebindings`, {
      metadata: { name: "ask" },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "system:node-bootstrapper" },
      subjects: [{ apiGroup: group, kind: "Group", name: "system:bootstrappers" }],
    });
    const other = await ask("other", spec, stranger);
    assert.equal(other.code, 201, other.text);
    await ask("last", { request, signerName: nodeClient, usages: clientUsages }, node);
    await issued("last");
    assert.equal((await read("other")).status.certificate, undefined);
    const live = {
      holderIdentity: "worker",
      leaseDurationSeconds: 3600,
      renewTime: new Date().toISOString().replace("Z", "000Z"),
    };
    const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    await must("POST", leases, { metadata: { name: "worker" }, spec: live });
    const late = await ask("late", spec, stranger);
    assert.equal(late.code, 403, late.text);
    assert.match(late.text, /it is alive/);
  });

  test("[SEC-3] a node serves under its own names, once a person has approved", async () => {
    const spec = { signerName: serving, usages: servingUsages };
    const request = await requestOf(nodeSubject, "DNS:worker,IP:192.0.2.7");
    const asked = await ask("serve", { ...spec, request }, node);
    assert.equal(asked.code, 201, asked.text);
    await run("certificate", "approve", "serve");
    assert.equal((await issued("serve")).checkIP("192.0.2.7"), "192.0.2.7");
    const names: [names: string, why: RegExp][] = [
      ["DNS:kubernetes", /is a name of the API server/],
      ["DNS:worker,DNS:other", /is not the node's name/],
      ["DNS:worker,IP:127.0.0.1", /is the API server's/],
      ["DNS:worker,IP:10.96.0.10", /is an address of services/],
    ];
    for (const [names_, why] of names) {
      const greedy = await ask(
        "greedy",
        { ...spec, request: await requestOf(nodeSubject, names_) },
        node,
      );
      assert.equal(greedy.code, 403, greedy.text);
      assert.match(greedy.text, why);
    }
    const wrong = await ask("wrong", { request, signerName: serving, usages: clientUsages }, node);
    assert.equal(wrong.code, 201);
    await run("certificate", "approve", "wrong");
    const failed = await until(
      () => read("wrong"),
      ({ status }) => status.conditions?.some(({ type }) => type === "Failed") === true,
    );
    assert.match(JSON.stringify(failed.status), /usages did not match/);
  });

  test("[SEC-3] what is no request, or not of its own key, is invalid", async () => {
    const spec = { signerName: client, usages: clientUsages };
    const good = Buffer.from(await requestOf("/CN=x"), "base64").toString();
    const broken = Buffer.from(
      good.replace(/([A-Za-z0-9])(=*\n-----END)/, (_, last: string, end) => {
        return `${last === "A" ? "B" : "A"}${end as string}`;
      }),
    );
    for (const request of [
      "",
      "AAAA",
      btoa("-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----"),
      broken.toString("base64"),
    ]) {
      const answer = await ask("bad", { ...spec, request });
      assert.equal(answer.code, 422, `${request}: ${answer.text}`);
    }
    const request = await requestOf("/CN=x");
    const noUsage = await ask("bad", { ...spec, usages: ["nonsense"], request });
    assert.match(noUsage.text, /Unsupported value: \\"nonsense\\"/);
  });
});
