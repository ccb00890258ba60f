import assert from "node:assert/strict";
import { test } from "node:test";
import { IpamError } from "../../errors.ts";
import { openAccess } from "./access.ts";

test("[IPAM-6] without a kubeconfig the error names the key that would help", async (t) => {
  const { KUBECONFIG } = process.env;
  t.after(() => {
    if (KUBECONFIG === undefined) delete process.env["KUBECONFIG"];
    else process.env["KUBECONFIG"] = KUBECONFIG;
  });
  process.env["KUBECONFIG"] = "/none/of/these";
  await assert.rejects(
    openAccess({ type: "kubernetes" }),
    (error) =>
      error instanceof IpamError &&
      error.code === 7 &&
      /^Cannot use ipam\.kubernetes\.kubeconfig: it is not set, .*: \/none\/of\/these does not exist$/.test(
        error.message,
      ),
  );
});
