// The files by which an operator of a real server lets users in and sets levels of Pod Security.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { Outside } from "../fixtures/outside.ts";
import { TestServer } from "../fixtures/server.ts";

const review = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

describe("[SEC-2, SEC-5] a server with files", { timeout: 120_000 }, () => {
  const scope = new AsyncDisposableStack();
  let outside: Outside;
  let server: TestServer;
  let directory: string;
  let sign: (claims: object) => Promise<string>;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "tandem-files-"));
    scope.defer(() => rm(directory, { recursive: true, force: true }));
    outside = scope.use(await Outside.start());
    const pair = await generateKeyPair("ES256", { extractable: true });
    outside.keys = [{ ...(await exportJWK(pair.publicKey)), kid: "one" }];
    sign = (claims) =>
      new SignJWT({ iss: outside.url, aud: "tandem", ...claims })
        .setProtectedHeader({ alg: "ES256", kid: "one" })
        .setExpirationTime("5m")
        .sign(pair.privateKey);
    const options = {
      "authentication-config": await write("authentication.yaml", {
        apiVersion: "apiserver.config.k8s.io/v1beta1",
        kind: "AuthenticationConfiguration",
        jwt: [
          {
            issuer: {
              url: outside.url,
              audiences: ["tandem"],
              certificateAuthority: outside.authority,
            },
            claimMappings: { username: { claim: "sub", prefix: "out:" } },
          },
        ],
      }),
      "authentication-token-webhook-config-file": await write("webhook.yaml", {
        clusters: [
          {
            name: "hook",
            cluster: {
              server: `${outside.url}/review`,
              "certificate-authority-data": Buffer.from(outside.authority).toString("base64"),
            },
          },
        ],
        users: [{ name: "server", user: {} }],
        contexts: [{ name: "hook", context: { cluster: "hook", user: "server" } }],
        "current-context": "hook",
      }),
      "admission-control-config-file": await write("admission.yaml", {
        apiVersion: "pod-security.admission.config.k8s.io/v1",
        kind: "PodSecurityConfiguration",
        defaults: { enforce: "baseline" },
        exemptions: { namespaces: ["kube-system"] },
      }),
      "service-account-issuer": "https://tokens.example.test",
      controllers: "",
    };
    const words = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    server = scope.use(await TestServer.start({ arguments: words }));
  });
  after(() => scope.disposeAsync());

  async function write(name: string, content: object): Promise<string> {
    const path = join(directory, name);
    await writeFile(path, JSON.stringify(content));
    return path;
  }

  const whoIs = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const body = "{}";
    const answer = await server.send("POST", review, { body, headers, anonymous: true });
    if (answer.code === 401) return undefined;
    const { status } = answer.body as { status?: { userInfo: { username: string } } };
    return status?.userInfo.username;
  };

  test("[SEC-2] lets users of the issuer in, and those whom the webhook knows", async () => {
    assert.equal(await whoIs(await sign({ sub: "ann" })), "out:ann");
    assert.equal(await whoIs("known"), "hooked");
    assert.equal(await whoIs("unknown"), undefined);
    assert.equal(await whoIs(await sign({ sub: "ann", aud: "other" })), undefined);
  });

  test("[SEC-2] publishes its issuer, for those who may read it", async () => {
    const path = "/.well-known/openid-configuration";
    const { body } = await server.call("GET", path);
    assert.equal(body["issuer"], "https://tokens.example.test");
    assert.equal((await server.send("GET", path, { anonymous: true })).code, 401);
  });

  test("[SEC-5] refuses pods by the level of the file, but where it exempts", async () => {
    const containers = [{ name: "main", image: "example.test/tool:1" }];
    const pod = { metadata: { name: "p" }, spec: { hostNetwork: true, containers } };
    const refused = await server.call("POST", "/api/v1/namespaces/default/pods", pod);
    assert.equal(refused.code, 403, refused.text);
    assert.match(refused.text, /violates PodSecurity/);
    const allowed = await server.call("POST", "/api/v1/namespaces/kube-system/pods", pod);
    assert.equal(allowed.code, 201, allowed.text);
  });

  test("[SEC-2, SEC-5] does not start with a file that it cannot use", async () => {
    const cases: [option: string, content: object, why: RegExp][] = [
      ["authentication-config", { kind: "Other" }, /Cannot use .*: kind: "Other" is not/],
      ["admission-control-config-file", { kind: "Other" }, /kind: "Other" is not PodSecurity/],
    ];
    for (const [option, content, why] of cases) {
      const file = await write(`${option}.wrong`, content);
      await assert.rejects(TestServer.start({ arguments: [`--${option}=${file}`] }), why);
    }
    const missing = TestServer.start({ arguments: ["--authentication-config=/no/such/file"] });
    await assert.rejects(missing, /Cannot use \/no\/such\/file/);
  });
});
