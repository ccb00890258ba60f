import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { stringify } from "yaml";
import { loadAccess } from "./load.ts";
import { base64, kubeconfigText, machineWith, type Parts, pem } from "./testing/kubeconfig.ts";

describe("which file", () => {
  const server = async (
    machine: Awaited<ReturnType<typeof machineWith>>,
    options: Parameters<typeof loadAccess>[1] = {},
  ) => (await loadAccess(machine, options)).server.host;

  test("the one named, else those of KUBECONFIG, else that of the home directory", async () => {
    const at = (host: string) => kubeconfigText({ cluster: { server: `https://${host}:1` } });
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
    const second = kubeconfigText({ name: "two", user: { token: "t" } });
    const machine = await machineWith(
      {
        "/1": first,
        "/2": kubeconfigText({ cluster: { server: "https://second:1" } }),
        "/3": second,
      },
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
    const machine = await machineWith({ "/k/config": kubeconfigText(parts), ...texts });
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
      const text = typeof parts === "string" ? parts : kubeconfigText(parts);
      const machine = await machineWith({ "/k/config": text });
      await assert.rejects(loadAccess(machine, { file: "/k/config" }), message);
    });
  }

  test("no error shows a secret", async () => {
    const machine = await machineWith({
      "/k/config": kubeconfigText({ user: { token: ["s3cret"] } }),
    });
    await assert.rejects(loadAccess(machine, { file: "/k/config" }), (error: Error) => {
      assert.doesNotMatch(error.message, /s3cret/);
      return true;
    });
  });
});
