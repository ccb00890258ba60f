import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeCommands } from "../../../base/host/command.fake.ts";
import { systemIpvsAdmin } from "./ipvs-admin.system.ts";
import { readServices } from "./virtual-service.ts";

/** The output of ipvsadm 1.31 on Linux 6.1, with other numbers of connections. */
const listed = `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
TCP  10.96.0.1:80 rr
  -> 10.1.1.10:8080               Masq    1      2          1         
  -> 10.1.2.11:8080               Masq    0      0          0         
UDP  10.96.0.1:53 rr persistent 10800
  -> 10.1.1.10:5353               Masq    1      0          0         
SCTP 10.96.0.1:81 rr
  -> 10.1.1.10:8081               Masq    1      0          0         
TCP  [fd00:96::1]:80 rr persistent 10800
  -> [fd00:1::10a]:8080           Masq    1      0          3         
FWM  2097152001 rr
  -> 10.1.1.10:8080               Masq    1      0          0         
FWM  2097152001 IPv6 sh (sh-fallback)
  -> [fd00:1::10a]:8080           Masq    1      0          0         
`;

const saved = `-A -t 10.96.0.1:80 -s rr
-a -t 10.96.0.1:80 -r 10.1.1.10:8080 -m -w 1
-a -t 10.96.0.1:80 -r 10.1.2.11:8080 -m -w 0
-A -u 10.96.0.1:53 -s rr -p 10800
-a -u 10.96.0.1:53 -r 10.1.1.10:5353 -m -w 1
-A --sctp-service 10.96.0.1:81 -s rr
-a --sctp-service 10.96.0.1:81 -r 10.1.1.10:8081 -m -w 1
-A -t [fd00:96::1]:80 -s rr -p 10800
-a -t [fd00:96::1]:80 -r [fd00:1::10a]:8080 -m -w 1
-A -f 2097152001 -s rr
-a -f 2097152001 -r 10.1.1.10:8080 -m -w 1
-A -f 2097152001 -6 -s sh -b sh-fallback
-a -f 2097152001 -6 -r [fd00:1::10a]:8080 -m -w 1
`;

const keys = [
  "-t 10.96.0.1:80",
  "-u 10.96.0.1:53",
  "--sctp-service 10.96.0.1:81",
  "-t [fd00:96::1]:80",
  "-f 2097152001",
  "-f 2097152001 -6",
];

test("connections are counted by service, of all with one command", async () => {
  const commands = new FakeCommands().answer("ipvsadm", { stdout: listed });
  const found = await systemIpvsAdmin(commands).connections(keys);
  assert.deepEqual([...found.keys()], keys);
  assert.deepEqual(
    [...(found.get("-t 10.96.0.1:80") ?? [])],
    [
      ["10.1.1.10:8080", 3],
      ["10.1.2.11:8080", 0],
    ],
  );
  assert.deepEqual([...(found.get("-t [fd00:96::1]:80") ?? [])], [["[fd00:1::10a]:8080", 3]]);
});

test("what is saved is read by the same names", async () => {
  const commands = new FakeCommands().answer("ipvsadm", { stdout: saved });
  const services = readServices(await systemIpvsAdmin(commands).save());
  assert.deepEqual([...services.keys()], keys);
  assert.equal(services.get("-f 2097152001 -6")?.settings, "-s sh -b sh-fallback");
  assert.deepEqual(
    [...(services.get("-t 10.96.0.1:80")?.servers ?? [])],
    [
      ["10.1.1.10:8080", 1],
      ["10.1.2.11:8080", 0],
    ],
  );
});

test("a service that is not there has no connections", async () => {
  const refusal = { exitCode: 255, stderr: "No such service\n" };
  const commands = new FakeCommands().answer("ipvsadm", refusal);
  assert.equal((await systemIpvsAdmin(commands).connections(["-t 10.96.0.1:80"])).size, 0);
});
