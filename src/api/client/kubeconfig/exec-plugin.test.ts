import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { loadAccess } from "./load.ts";
import { base64, kubeconfigText, machineWith, pem } from "./testing/kubeconfig.ts";

describe("exec plugins", () => {
  const version = "client.authentication.k8s.io/v1";
  const exec = {
    apiVersion: version,
    command: "login",
    args: ["--fast"],
    env: [{ name: "A", value: "1" }],
  };
  const credential = (status: object, apiVersion = version) =>
    JSON.stringify({ apiVersion, kind: "ExecCredential", status });
  const load = async (fields: object, cluster: object = {}) => {
    const machine = await machineWith({
      "/k/config": kubeconfigText({ user: { exec: fields }, cluster }),
    });
    return { machine, access: await loadAccess(machine, { file: "/k/config" }) };
  };

  test("are run once until their credential expires", async () => {
    const { machine, access } = await load(exec);
    const { commands, clock } = machine;
    const answer = (token: string, expirationTimestamp: string) =>
      commands.answer("login", { stdout: credential({ token, expirationTimestamp }) });
    answer("1", "2026-01-01T00:10:00Z");
    const all = await Promise.all([1, 2, 3].map(() => access.credentials.current()));
    assert.deepEqual([...new Set(all)], [all[0]]);
    assert.equal(commands.text, "login --fast");
    const { environment = {} } = commands.calls[0] ?? {};
    assert.equal(environment["A"], "1");
    assert.deepEqual(JSON.parse(environment["KUBERNETES_EXEC_INFO"] ?? ""), {
      apiVersion: version,
      kind: "ExecCredential",
      spec: { interactive: false },
    });
    answer("2", "2026-01-01T00:20:00Z");
    await clock.advance(589_000);
    assert.equal((await access.credentials.current()).authorization, "Bearer 1");
    await clock.advance(1_000);
    assert.equal((await access.credentials.current()).authorization, "Bearer 2");
  });

  test("are run again when the server refuses what they gave", async () => {
    const { machine, access } = await load({ ...exec, apiVersion: `${version}beta1` });
    machine.commands.answer("login", { stdout: credential({ token: "1" }, `${version}beta1`) });
    const first = await access.credentials.current();
    machine.commands.answer("login", { stdout: credential({ token: "2" }, `${version}beta1`) });
    access.credentials.reject(first);
    assert.equal((await access.credentials.current()).authorization, "Bearer 2");
  });

  test("may give a certificate, and be told about the cluster", async () => {
    const { machine, access } = await load(
      { ...exec, command: "./bin/login", provideClusterInfo: true },
      {
        "certificate-authority-data": base64(pem("ca")),
        extensions: [{ name: "client.authentication.k8s.io/exec", extension: { audience: "x" } }],
      },
    );
    const status = { clientCertificateData: pem("c"), clientKeyData: pem("k") };
    machine.commands.answer("/k/bin/login", { stdout: credential(status) });
    const { certificate, key, authorization } = await access.credentials.current();
    assert.deepEqual([certificate, key, authorization], [pem("c"), pem("k"), undefined]);
    const info = machine.commands.calls[0]?.environment?.["KUBERNETES_EXEC_INFO"] ?? "";
    assert.deepEqual((JSON.parse(info) as { spec: object }).spec, {
      interactive: false,
      cluster: {
        server: "https://127.0.0.1:6443",
        "certificate-authority-data": base64(pem("ca")),
        config: { audience: "x" },
      },
    });
  });

  test("that fail are told with their hint, and tried again", async () => {
    const { machine, access } = await load({ ...exec, installHint: "Install it from somewhere." });
    machine.commands.answer("login", { exitCode: 1, stderr: "no network" });
    await assert.rejects(
      access.credentials.current(),
      /users\[0\]\.user\.exec\.command gave no credential: .*no network; Install it from somewhere\./,
    );
    machine.commands.answer("login", { stdout: credential({ token: "1" }) });
    assert.equal((await access.credentials.current()).authorization, "Bearer 1");
  });

  const wrong: [string, string, RegExp][] = [
    ["no JSON", "s3cret", /the answer of login --fast: it is no JSON$/],
    ["another kind", "{}", /kind is not ExecCredential/],
    ["another version", credential({ token: "a" }, "x/v1"), /apiVersion is "x\/v1", but/],
    ["nothing", credential({}), /status\.token is missing/],
    ["half a pair", credential({ token: "a", clientKeyData: "k" }), /come together or not at all/],
    [
      "no time",
      credential({ token: "a", expirationTimestamp: "soon" }),
      /"soon", which is no time/,
    ],
  ];
  for (const [name, stdout, message] of wrong) {
    test(`that answer ${name} are refused`, async () => {
      const { machine, access } = await load(exec);
      machine.commands.answer("login", { stdout });
      await assert.rejects(access.credentials.current(), message);
    });
  }

  test("of an unknown version, or that want to ask, are refused when loaded", async () => {
    await assert.rejects(load({ ...exec, apiVersion: "x" }), /exec\.apiVersion is "x", not one of/);
    await assert.rejects(load({ ...exec, interactiveMode: "Always" }), /interactiveMode is Always/);
  });

  test("that hang do not hold up a caller who leaves", async () => {
    const { machine, access } = await load(exec);
    machine.commands.run = () => new Promise(() => undefined);
    const abort = new AbortController();
    const waiting = access.credentials.current(abort.signal);
    abort.abort(new Error("enough"));
    await assert.rejects(waiting, /enough/);
  });
});
