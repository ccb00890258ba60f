import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { skies } from "../fixtures/ipam-skies.ts";
import { adds, survivesStormWithDaemon } from "../fixtures/ipam-weather.ts";

const scratch = mkdtempSync(join(tmpdir(), "tandem-ipam-"));
after(() => rmSync(scratch, { recursive: true }));

const promise = `${adds} ADDs and DELs, processes and the daemon killed: no duplicate, no leak`;

for (const [datastore, under] of Object.entries(skies)) {
  test(`[IPAM-8] [IPAM-10] ${datastore}: ${promise}`, { timeout: 900_000 }, () =>
    under(join(scratch, datastore), survivesStormWithDaemon),
  );
}
