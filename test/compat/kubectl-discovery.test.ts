// What kubectl finds out about the server and about the user.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forEveryKubectl } from "../fixtures/kubectl.ts";

forEveryKubectl("[API-1] discovery", (given) => {
  test("version", async () => {
    const { serverVersion } = JSON.parse(await given.kubectl.run("version", "-o", "json")) as {
      serverVersion: { gitVersion: string };
    };
    assert.match(serverVersion.gitVersion, /^v1\.\d+\.\d+/);
  });

  test("api-versions", async () => {
    const versions = (await given.kubectl.run("api-versions")).split("\n");
    for (const wanted of ["v1", "apps/v1", "networking.k8s.io/v1", "k8s.cni.cncf.io/v1"]) {
      assert.ok(versions.includes(wanted), wanted);
    }
  });

  test("api-resources", async () => {
    const names = (await given.kubectl.run("api-resources", "-o", "name")).trim().split("\n");
    for (const wanted of [
      "pods",
      "services",
      "deployments.apps",
      "infrastructures.config.openshift.io",
      "persistentvolumeclaims",
      "storageclasses.storage.k8s.io",
      "priorityclasses.scheduling.k8s.io",
    ]) {
      assert.ok(names.includes(wanted), wanted);
    }
    assert.ok(!names.includes("componentstatuses"));
    const deployments = (await given.kubectl.run("api-resources")).match(/^deployments .*$/m)?.[0];
    assert.match(deployments ?? "", /deploy +apps\/v1 +true +Deployment/);
  });

  test("explain, with fields of this project", async () => {
    const spec = await given.kubectl.run("explain", "deployment.spec");
    assert.match(spec, /replicas\s+<integer>/);
    const service = await given.kubectl.run("explain", "service.spec.endpointFamily");
    assert.match(service, /endpointFamily <string>/);
    const custom = await given.kubectl.run("explain", "network-attachment-definition.spec");
    assert.match(custom, /config\s+<string>/);
  });

  test("health", async () => {
    assert.equal(await given.kubectl.run("get", "--raw", "/readyz"), "ok");
    assert.match(await given.kubectl.run("get", "--raw", "/metrics"), /^apiserver_request_total/m);
  });

  test("auth can-i, for oneself and for others", async () => {
    assert.equal(await given.kubectl.run("auth", "can-i", "create", "pods"), "yes\n");
    const joe = await given.kubectl.try(["auth", "can-i", "list", "secrets", "--as=joe"]);
    assert.deepEqual([joe.stdout, joe.code], ["no\n", 1]);
    await given.kubectl.run("create", "role", "reader", "--verb=list", "--resource=secrets");
    await given.kubectl.run("create", "rolebinding", "joe-reads", "--role=reader", "--user=joe");
    assert.equal(await given.kubectl.run("auth", "can-i", "list", "secrets", "--as=joe"), "yes\n");
    assert.match(
      await given.kubectl.run("auth", "can-i", "--list"),
      /^\*\.\* +\[\] +\[\] +\[\*\]/m,
    );
    const refused = await given.kubectl.try(["get", "nodes", "--as=joe"]);
    assert.match(
      refused.stderr,
      /nodes is forbidden: User "joe" cannot list resource "nodes" in API group "" at the cluster scope/,
    );
  });

  test("auth whoami", async () => {
    if (given.version === "1.20") {
      assert.match((await given.kubectl.try(["auth", "whoami"])).stderr, /unknown command/);
      return;
    }
    assert.match(await given.kubectl.run("auth", "whoami"), /Username +kubernetes-admin/);
  });
});
