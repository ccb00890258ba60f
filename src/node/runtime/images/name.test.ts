import assert from "node:assert/strict";
import { test } from "node:test";
import { isImageNameInvalid } from "../error.ts";
import { isLoopback, parseImageName } from "./name.ts";

const digest = `sha256:${"0".repeat(64)}`;

const names: [name: string, reference: string][] = [
  ["nginx", "docker.io/library/nginx:latest"],
  ["nginx:1.27", "docker.io/library/nginx:1.27"],
  ["team/web", "docker.io/team/web:latest"],
  ["docker.io/web", "docker.io/library/web:latest"],
  ["registry.k8s.io/pause:3.9", "registry.k8s.io/pause:3.9"],
  ["localhost/web", "localhost/web:latest"],
  ["127.0.0.1:5000/a/b/c:x_Y.1", "127.0.0.1:5000/a/b/c:x_Y.1"],
  ["[::1]:5000/web", "[::1]:5000/web:latest"],
  [`web@${digest}`, `docker.io/library/web@${digest}`],
  [`web:1@${digest}`, `docker.io/library/web@${digest}`],
  ["a__b/c--d.e", "docker.io/a__b/c--d.e:latest"],
];
for (const [name, reference] of names) {
  test(`${name} is ${reference}`, () => assert.equal(parseImageName(name).reference, reference));
}

for (const name of [
  "",
  "Web",
  "a b",
  "web:",
  "web@sha256:0",
  "/web",
  "a//b",
  "web/",
  "-a",
  "x:1:2",
  "a/../b",
]) {
  test(`"${name}" is no name`, () => assert.throws(() => parseImageName(name), isImageNameInvalid));
}

test("registries of this machine are known", () => {
  const local = ["localhost", "localhost:5000", "127.0.0.1:80", "127.1.2.3", "[::1]:5000"];
  assert.deepEqual(
    local.map(isLoopback),
    local.map(() => true),
  );
  assert.deepEqual(["docker.io", "localhost.example", "10.0.0.1:5000"].map(isLoopback), [
    false,
    false,
    false,
  ]);
});
