import assert from "node:assert/strict";
import { test } from "node:test";
import { authFileText, loginsFor } from "./logins.ts";
import { parseImageName } from "./name.ts";

const login = (place: string) => ({ place, user: "someone", password: "se:cret" });
const places = (image: string, ...all: string[]) =>
  loginsFor(parseImageName(image).reference, all.map(login)).map(({ place }) => place);

test("a login is for the images of its place, the most specific first", () => {
  const all = ["example.test", "example.test/team", "example.test/team/app", "other.test"];
  assert.deepEqual(places("example.test/team/app:1", ...all), [
    "example.test/team/app",
    "example.test/team",
    "example.test",
  ]);
  assert.deepEqual(places("example.test/teams/app", ...all), ["example.test"]);
  assert.deepEqual(places("example.test:5000/team/app", ...all), []);
  assert.deepEqual(places("127.0.0.1:5000/app:1", "127.0.0.1:5000"), ["127.0.0.1:5000"]);
  assert.deepEqual(places("[::1]:5000/app", "[::1]:5000"), ["[::1]:5000"]);
  const digest = `example.test/team@sha256:${"0".repeat(64)}`;
  assert.deepEqual(places(digest, "example.test/team"), ["example.test/team"]);
});

test("schemes, old versions, Docker's names and stars are understood", () => {
  for (const place of ["https://index.docker.io/v1/", "docker.io", "http://docker.io/v2"]) {
    assert.deepEqual(places("nginx", place), [place]);
  }
  assert.deepEqual(places("a.b.example.test/x", "*.example.test"), []);
  assert.deepEqual(places("ab.example.test/x", "a*.example.test"), ["a*.example.test"]);
  assert.deepEqual(places("evil.test/x", "e.il.test", "test"), []);
});

test("the file names the registry, whatever the place was", () => {
  assert.deepEqual(JSON.parse(authFileText("example.test/team/app:1", login("*.test/team"))), {
    auths: { "example.test": { auth: Buffer.from("someone:se:cret").toString("base64") } },
  });
});
