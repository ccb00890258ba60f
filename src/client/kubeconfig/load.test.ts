import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { stringify } from "yaml";
import { FakeClock } from "../../host/clock.fake.ts";
import { FakeCommands } from "../../host/command.fake.ts";
import { FakeFiles } from "../../host/files.fake.ts";
import { loadAccess } from "./load.ts";

const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
const base64 = (text: string) => Buffer.from(text).toString("base64");

interface Parts {
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
  readonly name?: string;
}

function config({ cluster = {}, user = {}, context = {}, name = "one" }: Parts = {}): string {
  return stringify({
    clusters: [{ name, cluster: { server: "https://127.0.0.1:6443", ...cluster } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, ...context } }],
    "current-context": name,
  });
}

async function machineWith(texts: Readonly<Record<string, string>>, environment = {}) {
  const files = new FakeFiles();
  for (const [path, text] of Object.entries(texts)) await files.write(path, text);
  const commands = new FakeCommands();
  const clock = new FakeClock();
  return { files, commands, clock, environment: { HOME: "/home/a", ...environment } };
}

describe("which file", () => {
  const server = async (
    machine: Awaited<ReturnType<typeof machineWith>>,
    options: Parameters<typeof loadAccess>[1] = {},
  ) => (await loadAccess(machine, options)).server.host;

  test("the one named, else those of KUBECONFIG, else that of the home directory", async () => {
    const at = (host: string) => config({ cluster: { server: `https://${host}:1` } });
    const texts = {
      "/given": at("given"),
      "/listed": at("listed"),
      "/home/a/.kube/config": at("home"),
    };
    const both = await machineWith(texts, { KUBECONFIG: "/nowhere::/listed" });
    assert.equal(await server(both, { file: "/given" }), "given:1");
    assert.equal(await server(both), "listed:1");
    assert.equal(await server(await machineWith(texts)), "home:1");
  });

  test("of several, the first that says something counts", async () => {
    const first = stringify({
      clusters: [{ name: "one", cluster: { server: "https://first:1" } }],
      contexts: [{ name: "one", context: { cluster: "one", user: "two", namespace: "n" } }],
    });
    const second = config({ name: "two", user: { token: "t" } });
    const machine = await machineWith(
      { "/1": first, "/2": config({ cluster: { server: "https://second:1" } }), "/3": second },
      { KUBECONFIG: "/1:/2:/3" },
    );
    const access = await loadAccess(machine);
    assert.equal(access.server.host, "first:1");
    assert.equal(access.namespace, "n");
    assert.equal((await access.credentials.current()).authorization, "Bearer t");
    assert.equal(await server(machine, { context: "two" }), "127.0.0.1:6443");
  });

  test("without a file the service account of the pod", async () => {
    const directory = "/var/run/secrets/kubernetes.io/serviceaccount";
    const machine = await machineWith(
      {
        [`${directory}/token`]: "first\n",
        [`${directory}/ca.crt`]: pem("ca"),
        [`${directory}/namespace`]: "here",
      },
      { KUBERNETES_SERVICE_HOST: "fd00:96::1", KUBERNETES_SERVICE_PORT: "443" },
    );
    const { server: url, namespace, credentials, authorities } = await loadAccess(machine);
    assert.deepEqual([url.href, namespace], ["https://[fd00:96::1]/", "here"]);
    assert.match(authorities ?? "", /BEGIN/);
    assert.equal((await credentials.current()).authorization, "Bearer first");
    await machine.files.write(`${directory}/token`, "second");
    assert.equal((await credentials.current()).authorization, "Bearer first");
    await machine.clock.advance(60_000);
    assert.equal((await credentials.current()).authorization, "Bearer second");
    await assert.rejects(loadAccess(machine, { file: "/none" }), /\/none does not exist/);
  });

  test("nothing anywhere is said with the places that were looked at", async () => {
    const machine = await machineWith({}, { KUBECONFIG: "/a:/b" });
    await assert.rejects(
      loadAccess(machine),
      /^KubeconfigError: Cannot find a cluster: \/a, \/b do not exist$/,
    );
    const homeless = await machineWith({}, { HOME: undefined });
    await assert.rejects(loadAccess(homeless), /neither KUBECONFIG nor HOME is set/);
  });
});

describe("what is in it", () => {
  const load = async (parts: Parts, texts: Readonly<Record<string, string>> = {}) => {
    const machine = await machineWith({ "/k/config": config(parts), ...texts });
    return { machine, access: await loadAccess(machine, { file: "/k/config" }) };
  };

  test("certificates stand inside, or in files beside it; what stands inside counts", async () => {
    const { access } = await load(
      {
        cluster: {
          "certificate-authority": "/elsewhere",
          "certificate-authority-data": base64(pem("inside")),
          "tls-server-name": "api",
        },
        user: { "client-certificate": "cert.pem", "client-key": "../key.pem" },
      },
      { "/k/cert.pem": pem("cert"), "/key.pem": pem("key") },
    );
    const { certificate, key } = await access.credentials.current();
    assert.deepEqual(
      [access.authorities, certificate, key, access.serverName, access.insecure],
      [pem("inside"), pem("cert"), pem("key"), "api", false],
    );
  });

  test("a token file is read again when it is rotated, or when its token is refused", async () => {
    const { access, machine } = await load({ user: { tokenFile: "token" } }, { "/k/token": "1\n" });
    const first = await access.credentials.current();
    assert.equal(first.authorization, "Bearer 1");
    await machine.files.write("/k/token", "2");
    assert.equal(await access.credentials.current(), first);
    access.credentials.reject(first);
    const second = await access.credentials.current();
    assert.equal(second.authorization, "Bearer 2");
    access.credentials.reject(first);
    await machine.clock.advance(120_000);
    assert.equal(await access.credentials.current(), second, "unchanged, so the same value");
  });

  test("names, passwords and impersonation become headers", async () => {
    const { access } = await load({
      user: {
        username: "a",
        password: "b",
        as: "jane",
        "as-groups": ["x", "y"],
        "as-user-extra": { "Some/Key": ["v"] },
      },
    });
    assert.equal((await access.credentials.current()).authorization, "Basic YTpi");
    assert.deepEqual(access.impersonation, {
      "impersonate-user": "jane",
      "impersonate-group": ["x", "y"],
      "impersonate-extra-some%2Fkey": ["v"],
    });
  });

  test("a server is left unchecked only when the file says so", async () => {
    const { access } = await load({ cluster: { "insecure-skip-tls-verify": true } });
    assert.equal(access.insecure, true);
  });

  test("JSON is as good as YAML", async () => {
    const text = JSON.stringify({
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "k" } }],
      clusters: [{ name: "k", cluster: { server: "http://h:8080/prefix" } }],
    });
    const access = await loadAccess(await machineWith({ "/j": text }), { file: "/j" });
    assert.equal(access.server.href, "http://h:8080/prefix");
    assert.deepEqual(await access.credentials.current(), {});
  });

  const wrong: [string, Parts | string, RegExp][] = [
    ["no mapping", "- a", /Cannot use \/k\/config: it must be fields, not a list/],
    ["no YAML", "a: [", /Cannot use \/k\/config: /],
    [
      "a field of the wrong type",
      { user: { token: 5 } },
      /users\[0\]\.user\.token must be a text, not number/,
    ],
    ["no server", { cluster: { server: "" } }, /clusters\[0\]\.cluster\.server is missing/],
    [
      "a server that is no URL",
      { cluster: { server: "x" } },
      /cluster\.server is "x", which is no https/,
    ],
    [
      "a missing file",
      { user: { tokenFile: "t" } },
      /user\.tokenFile is \/k\/t, which does not exist/,
    ],
    [
      "a certificate that is none",
      { cluster: { "certificate-authority-data": base64("no") } },
      /cluster\.certificate-authority-data is no PEM in base64/,
    ],
    [
      "half a pair",
      { user: { "client-certificate-data": base64(pem("a")) } },
      /user\.client-key is missing/,
    ],
    [
      "a contradiction",
      {
        cluster: {
          "insecure-skip-tls-verify": true,
          "certificate-authority-data": base64(pem("a")),
        },
      },
      /insecure-skip-tls-verify is true beside a certificate-authority/,
    ],
    ["a proxy", { cluster: { "proxy-url": "http://p" } }, /cluster\.proxy-url is not supported/],
    [
      "an old plugin",
      { user: { "auth-provider": { name: "gcp" } } },
      /auth-provider is not supported/,
    ],
    [
      "a user that is nowhere",
      { context: { user: "x" } },
      /context\.user names "x", which is nowhere/,
    ],
    ["a cluster that is nowhere", { context: { cluster: "x" } }, /context\.cluster names "x"/],
    ["no current context", "contexts: []", /current-context is missing/],
    ["an unknown context", "current-context: z", /there is no context "z"; there is none/],
  ];
  for (const [name, parts, message] of wrong) {
    test(`is refused for ${name}`, async () => {
      const text = typeof parts === "string" ? parts : config(parts);
      const machine = await machineWith({ "/k/config": text });
      await assert.rejects(loadAccess(machine, { file: "/k/config" }), message);
    });
  }

  test("no error shows a secret", async () => {
    const machine = await machineWith({ "/k/config": config({ user: { token: ["s3cret"] } }) });
    await assert.rejects(loadAccess(machine, { file: "/k/config" }), (error: Error) => {
      assert.doesNotMatch(error.message, /s3cret/);
      return true;
    });
  });
});

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
    const machine = await machineWith({ "/k/config": config({ user: { exec: fields }, cluster }) });
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
