import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { skies } from "../fixtures/ipam-skies.ts";
import { adds, survivesStorm } from "../fixtures/ipam-weather.ts";

const scratch = mkdtempSync(join(tmpdir(), "tandem-ipam-"));
after(() => rmSync(scratch, { recursive: true }));

const promise = `${adds} ADDs and DELs by 64 processes, some killed: no duplicate, no leak`;

for (const [datastore, under] of Object.entries(skies)) {
  test(`[IPAM-8] [IPAM-10] ${datastore}: ${promise}`, { timeout: 900_000 }, () => {
    const environment = { TANDEM_IPAM_SOCKET: join(scratch, `${datastore}.sock`) };
    return under(join(scratch, datastore), (weather) => survivesStorm({ ...weather, environment }));
  });
}
