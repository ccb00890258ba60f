// The dashboard shows what its user may read and nothing else, to pages that its link was given to.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { staticCredentials } from "../../src/api/client/access.ts";
import { connect } from "../../src/api/client/connect.ts";
import { systemClock } from "../../src/base/host/clock.system.ts";
import { FakeFiles } from "../../src/base/host/files.fake.ts";
import { systemRandom } from "../../src/base/host/random.system.ts";
import { UsageError } from "../../src/base/program/errors.ts";
import { createLog } from "../../src/base/program/log.ts";
import { type KindName, kindNames } from "../../src/inspect/dashboard/model/cluster.ts";
import { answerHeaders } from "../../src/inspect/dashboard/server/guard.ts";
import type { Actions, User } from "../../src/inspect/dashboard/server/ports.ts";
import { type DashboardParts, openDashboard } from "../../src/inspect/dashboard/server/serve.ts";
import { type GuardedServer, startGuarded } from "../fixtures/guarded-server.ts";
import { ask, kindObjects, logIn, own, readAll, type Visited } from "./dashboard.fixture.ts";

const log = createLog({ write: () => undefined, format: "text", level: "error" });

describe("the dashboard", () => {
  let cluster: GuardedServer;

  before(async () => {
    cluster = await startGuarded();
    for (const namespace of ["shop", "vault"]) {
      await create("/api/v1/namespaces", { metadata: { name: namespace } });
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      const env = [{ name: "PASSWORD", value: "hunter2" }];
      const containers = [{ name: "main", image: "x", env }];
      await create(pods, { metadata: { name: `pod-in-${namespace}` }, spec: { containers } });
      await create(`/api/v1/namespaces/${namespace}/services`, {
        metadata: { name: `service-in-${namespace}` },
        spec: { ports: [{ port: 80 }] },
      });
    }
    for (const kind of kindNames) {
      const { path, body, group, resource } = kindObjects[kind];
      await create(path, { metadata: { name: nameOf(kind) }, ...body });
      await grant(`reader-of-${kind}`, [resource], { group });
    }
    await grant("pod-reader", ["pods"]);
    await grant("shop-reader", ["pods", "services"], { namespace: "shop" });
  });
  after(() => cluster[Symbol.asyncDispose]());

  /** The name of the object of a kind; names are in lower case. */
  function nameOf(kind: KindName): string {
    return `one-of-${kind.toLowerCase()}`;
  }

  async function create(path: string, body: object): Promise<void> {
    const { status, text } = await cluster.admin("POST", path, body);
    assert.equal(status, 201, text);
  }

  /** Lets a user read some resources of a group, everywhere or in one namespace. */
  async function grant(
    name: string,
    resources: string[],
    {
      group: ofGroup = "",
      namespace,
    }: { readonly group?: string; readonly namespace?: string } = {},
  ): Promise<void> {
    const group = "rbac.authorization.k8s.io";
    const kind = namespace === undefined ? "ClusterRole" : "Role";
    const plural = kind.toLowerCase();
    const path = `/apis/${group}/v1/${namespace === undefined ? "" : `namespaces/${namespace}/`}`;
    const rules = [{ apiGroups: [ofGroup], resources, verbs: ["get", "list", "watch"] }];
    await create(`${path}${plural}s`, { metadata: { name }, rules });
    await create(`${path}${plural}bindings`, {
      metadata: { name },
      roleRef: { apiGroup: group, kind, name },
      subjects: [{ apiGroup: group, kind: "User", name }],
    });
  }

  const parts = { clock: systemClock, random: systemRandom };

  /** The connection of a user, or of the administrator. */
  function connectionOf(user: string | undefined): User {
    const { url, authority, client: keys } = cluster.server;
    const access = {
      server: new URL(url),
      authorities: authority,
      credentials: staticCredentials(keys),
      namespace: "default",
      ...(user !== undefined && { impersonation: { "impersonate-user": user } }),
    };
    return { access, client: connect(access, { component: "test", ...parts }) };
  }

  /** Whoever has the token "token-of-NAME" is NAME; others send it to the API server as it is. */
  function logInBy(token: string): User {
    if (token.startsWith("token-of-")) return connectionOf(token.replace("token-of-", ""));
    const { url, authority } = cluster.server;
    const credentials = staticCredentials({ authorization: `Bearer ${token}` });
    const access = {
      server: new URL(url),
      authorities: authority,
      credentials,
      namespace: "default",
    };
    return { access, client: connect(access, { component: "test", ...parts }) };
  }

  /** Starts the dashboard as a user. */
  async function start(user: string | undefined, namespace?: string): Promise<Visited> {
    return await open({ users: { user: connectionOf(user) }, namespace });
  }

  async function open({
    users,
    namespace,
    actions = {},
  }: {
    readonly users: DashboardParts["users"];
    readonly namespace?: string | undefined;
    readonly actions?: Actions;
  }): Promise<Visited> {
    const files = new FakeFiles();
    for (const name of ["index.html", "page.js", "page.css", "icon.svg"]) {
      await files.write(`/page/${name}`, name);
    }
    const dashboard = await openDashboard(
      { users, files, log, actions, ...parts },
      {
        listen: { host: "localhost", port: 0 },
        directory: "/page",
        about: { server: "test", namespace },
      },
    );
    const stop = new AbortController();
    const running = dashboard.run(stop.signal);
    const link = new URL(dashboard.link);
    return {
      port: link.port,
      code: link.hash.replace("#code=", ""),
      async [Symbol.asyncDispose]() {
        stop.abort();
        await running;
      },
    };
  }

  const readable: [
    name: string,
    user: string | undefined,
    namespace: string | undefined,
    kinds: KindName[],
  ][] = [
    ["an administrator", undefined, undefined, [...kindNames]],
    ["a user who may read pods", "pod-reader", undefined, ["pods"]],
    ["a user of one namespace, asked for all", "shop-reader", undefined, []],
    ["a user of one namespace, asked for it", "shop-reader", "shop", ["pods", "services"]],
    ["a user of one namespace, asked for another", "shop-reader", "vault", []],
    ["a user without rights", "nobody", undefined, []],
  ];
  for (const [name, user, namespace, kinds] of readable) {
    test(`shows ${name} ${kinds.join(", ") || "nothing"}, and says what is missing`, async () => {
      await using visited = await start(user, namespace);
      const token = await logIn(visited);
      const { mirror, bytes } = await readAll(visited, token);
      const refused = kindNames.filter((kind) => mirror.reading(kind).state === "refused");
      const readHere = kindNames.filter((kind) => !refused.includes(kind));
      assert.deepEqual(readHere, kinds);
      for (const kind of refused) assert.deepEqual(mirror.list(kind), []);
      assert.equal(bytes.includes("pod-in-shop"), kinds.includes("pods"));
      assert.equal(
        bytes.includes("pod-in-vault"),
        kinds.includes("pods") && namespace === undefined,
      );
      assert.equal(bytes.includes("service-in-shop"), kinds.includes("services"));
      assert.equal(bytes.includes(nameOf("nodes")), kinds.includes("nodes"));
      assert.ok(!bytes.includes("hunter2"));
    });
  }

  for (const kind of kindNames) {
    test(`[DASH-1] whoever may read ${kind} alone gets these, and no name of any other kind`, async () => {
      await using visited = await start(`reader-of-${kind}`);
      const { bytes } = await readAll(visited, await logIn(visited));
      const seen = kindNames.filter((other) => bytes.includes(`"${nameOf(other)}"`));
      assert.deepEqual(seen, [kind]);
      assert.ok(!bytes.includes("hunter2"));
    });
  }

  test("[DASH-2] shows each who logs in by a token what that token may read, at the same time", async () => {
    await using visited = await open({ users: { logIn: logInBy } });
    const seen: [user: string, kinds: KindName[]][] = [
      ["pod-reader", ["pods"]],
      ["nobody", []],
      ["shop-reader", []],
    ];
    await Promise.all(
      seen.map(async ([user, kinds]) => {
        const token = await logIn({ ...visited, code: `token-of-${user}` });
        const { mirror, bytes } = await readAll(visited, token);
        const readHere = kindNames.filter((kind) => mirror.reading(kind).state !== "refused");
        assert.deepEqual(readHere, kinds, user);
        assert.equal(bytes.includes("pod-in-vault"), kinds.includes("pods"), user);
        assert.ok(!bytes.includes("service-in-shop") && !bytes.includes("hunter2"));
      }),
    );
  });

  test("[DASH-2] takes no token that the API server does not know, and none of its own twice", async () => {
    await using visited = await open({ users: { logIn: logInBy } });
    const post = (body: string, headers = {}) =>
      ask(visited, "/api/session", { method: "POST", headers: { ...own, ...headers }, body });
    for (const body of [
      "",
      "short",
      "no-such-token-anywhere",
      "with space",
      "a\nb: c",
      "x".repeat(99_999),
    ]) {
      const { status, body: said } = await post(body);
      assert.equal(status, 403, said);
      assert.ok(!said.includes('"token"'));
    }
    assert.equal((await post("token-of-nobody", { origin: "http://evil.example" })).status, 403);
    const authorization = `Bearer ${await logIn({ ...visited, code: "token-of-nobody" })}`;
    const link = { method: "POST", headers: { ...own, authorization } };
    assert.equal((await ask(visited, "/api/link", link)).status, 403);
    assert.equal((await ask(visited, "/api/logout", link)).status, 200);
    assert.equal((await ask(visited, "/api/about", { headers: { authorization } })).status, 401);
  });

  test("[DASH-1] starts nothing that was not allowed, and passes on what is refused to its user", async () => {
    await using visited = await start("pod-reader");
    const authorization = `Bearer ${await logIn(visited)}`;
    const headers = { ...own, authorization };
    const trace = JSON.stringify({ from: "outside", to: "shop/web:80" });
    for (const [path, body] of [
      ["/api/check", ""],
      ["/api/trace", trace],
    ] as const) {
      const { status, body: said } = await ask(visited, path, { method: "POST", headers, body });
      assert.equal(status, 403);
      assert.match(said, /started without --allow-/);
    }
    const place = "namespace=vault&name=pod-in-vault";
    for (const path of [`/api/logs?${place}`, `/api/policies?${place}`]) {
      const { status, body } = await ask(visited, path, { headers });
      assert.equal(status, 403, path);
      assert.match(body, /forbidden/, path);
    }
  });

  test("[DASH-1] lets no page put options or programs into a trace", async () => {
    const asked: string[] = [];
    const actions: Actions = {
      trace: async ({ from, to }) => {
        asked.push(`${from} ${to}`);
        return [];
      },
    };
    await using visited = await open({ users: { user: connectionOf(undefined) }, actions });
    const headers = { ...own, authorization: `Bearer ${await logIn(visited)}` };
    const post = async (from: unknown, to: unknown) => {
      const body = JSON.stringify({ from, to });
      return (await ask(visited, "/api/trace", { method: "POST", headers, body })).status;
    };
    for (const bad of [
      "--netns=x",
      "",
      "a b",
      "a;b",
      "$(x)",
      "a\nb",
      "x".repeat(400),
      5,
      null,
      {},
    ]) {
      assert.equal(await post(bad, "shop/web"), 400);
      assert.equal(await post("shop/web", bad), 400);
    }
    assert.equal(await post("pod/shop/web-0", "[fd00::1]:80"), 200);
    assert.deepEqual(asked, ["pod/shop/web-0 [fd00::1]:80"]);
  });

  test("tells events only to those who may read them", async () => {
    const query = "kind=Pod&namespace=shop&name=pod-in-shop";
    await create("/api/v1/namespaces/shop/events", {
      metadata: { name: "e" },
      involvedObject: { kind: "Pod", namespace: "shop", name: "pod-in-shop" },
      reason: "Told",
    });
    for (const [user, isTold] of [
      [undefined, true],
      ["pod-reader", false],
    ] as const) {
      await using visited = await start(user);
      const token = await logIn(visited);
      const { bytes } = await readAll(visited, token, `/api/events?${query}`, ["events"]);
      assert.equal(bytes.includes("Told"), isTold);
    }
  });

  describe("as a server", () => {
    let visited: Visited;
    before(async () => {
      visited = await start(undefined);
    });
    after(() => visited[Symbol.asyncDispose]());

    test("answers everything with headers that let nothing in, files and refusals alike", async () => {
      for (const path of ["/", "/page.js", "/api/stream", "/nowhere"]) {
        const { headers } = await ask(visited, path);
        for (const [name, value] of Object.entries(answerHeaders)) {
          assert.equal(headers[name], value, `${name} of ${path}`);
        }
        assert.equal(headers["set-cookie"], undefined);
        assert.equal(headers["access-control-allow-origin"], undefined);
      }
    });

    test("tells nothing without a token: no code, cookie or other header is one", async () => {
      const { code } = visited;
      for (const path of ["/api/stream", "/api/about", "/api/events?kind=Pod&name=x"]) {
        for (const headers of [
          {},
          { authorization: `Bearer ${code}` },
          { authorization: "Bearer undefined" },
          { cookie: `token=${code}` },
        ]) {
          assert.equal((await ask(visited, path, { headers })).status, 401);
        }
      }
      assert.equal((await ask(visited, "/api/link", { method: "POST", headers: own })).status, 401);
    });

    test("serves the files of the page and nothing beside them", async () => {
      assert.equal((await ask(visited, "/")).body, "index.html");
      for (const path of [
        "/../package.json",
        "/..%2f..%2fpackage.json",
        "/page.js/../../x",
        "//page.js",
        "/page%2ejs",
        "/.",
        "/constructor",
        "/__proto__",
      ]) {
        assert.equal((await ask(visited, path)).status, 401, path);
      }
    });

    test("refuses names, origins and sites that are not its own, with a token, too", async () => {
      const token = await link(visited);
      const authorization = `Bearer ${token}`;
      const about = (headers: Record<string, string>) =>
        ask(visited, "/api/about", { headers: { authorization, ...headers } });
      assert.equal((await about({})).status, 200);
      assert.equal((await about({ host: `evil.example:${visited.port}` })).status, 421);
      assert.equal((await about({ origin: "http://evil.example" })).status, 403);
      assert.equal((await about({ "sec-fetch-site": "same-site" })).status, 403);
      const post = { method: "POST", headers: { authorization } };
      assert.equal((await ask(visited, "/api/link", post)).status, 403);
    });

    test("takes each link once, and no body that is none", async () => {
      const post = (body: string) =>
        ask(visited, "/api/session", { method: "POST", headers: own, body });
      for (const body of ["", "{}", "x".repeat(100_000), "x".repeat(43)]) {
        assert.equal((await post(body)).status, 403);
      }
      const another = await start(undefined);
      await using _ = another;
      // Reading everything leaves no request of this dashboard under way when it ends.
      await readAll(another, await logIn(another));
      const again = await ask(another, "/api/session", {
        method: "POST",
        headers: own,
        body: another.code,
      });
      assert.equal(again.status, 403);
    });

    /** Logs in once for this server, whose first code all tests share. */
    let shared: Promise<string> | undefined;
    const link = (on: Visited): Promise<string> => (shared ??= logIn(on));
  });

  test("listens on loopback only", async () => {
    const files = new FakeFiles();
    const { client } = cluster.server;
    for (const host of ["", "0.0.0.0", "::", "192.0.2.1", "2001:db8::1"]) {
      const opened = openDashboard(
        { users: { user: client as never }, files, log, clock: systemClock, random: systemRandom },
        {
          listen: { host, port: 0 },
          directory: "/page",
          about: { server: "", namespace: undefined },
        },
      );
      await assert.rejects(opened, UsageError);
    }
  });
});
