// The cases of the nft contract: scripts and their expected outcomes.

import {
  isAlreadyExists,
  isInUse,
  isInvalid,
  isNotFound,
  isNotSupported,
  isTooLarge,
} from "../../error.ts";

export const base = `
add table ip t
add chain ip t c
add chain ip t input { type filter hook input priority 0 ; policy drop ; }
add map ip t m { type ipv4_addr : verdict ; }
add set ip t s { type ipv4_addr ; }
add element ip t m { 10.0.0.1 : goto c }
add rule ip t input ip saddr @s drop
add counter ip t k
add rule ip t input counter name k`;

/** Scripts that are accepted: name, script, and the state it must come to. */
export const scripts: readonly (readonly [string, string, string])[] = [
  [
    "a service map with verdicts, as flat commands",
    `
    add table ip t { comment "a table" ; }
    add chain ip t nat { type nat hook prerouting priority -100 ; }
    add chain ip t web
    add map ip t services { type ipv4_addr . inet_proto . inet_service : verdict ; comment "one; two" ; }
    add map ip t endpoints { type ipv4_addr . inet_proto . inet_service . mark : ipv4_addr . inet_service ; }
    add rule ip t nat ip daddr . meta l4proto . th dport vmap @services comment "dispatch"
    add rule ip t web meta mark set numgen random mod 2 counter
    add rule ip t web dnat ip to ip daddr . meta l4proto . th dport . meta mark map @endpoints
    add element ip t services { 10.96.0.10 . tcp . 80 comment "shop/web:http" : goto web, 10.96.0.9 . udp . 53 : drop }
    add element ip t endpoints { 10.96.0.10 . tcp . 80 . 0x0 : 10.1.0.1 . 8080 }
    add element ip t endpoints { 10.96.0.10 . tcp . 80 . 1 : 10.1.0.2 . 8080 }`,
    `
    add table ip t { comment "a table"; }
    add map ip t endpoints { type ipv4_addr . inet_proto . inet_service . mark : ipv4_addr . inet_service; }
    add map ip t services { type ipv4_addr . inet_proto . inet_service : verdict; comment "one; two"; }
    add chain ip t nat { type nat hook prerouting priority dstnat; policy accept; }
    add chain ip t web
    add rule ip t nat ip daddr . meta l4proto . th dport vmap @services comment "dispatch"
    add rule ip t web meta mark set numgen random mod 2 counter
    add rule ip t web dnat ip to ip daddr . meta l4proto . th dport . meta mark map @endpoints
    add element ip t endpoints { 10.96.0.10 . tcp . 80 . 0 : 10.1.0.1 . 8080 }
    add element ip t endpoints { 10.96.0.10 . tcp . 80 . 1 : 10.1.0.2 . 8080 }
    add element ip t services { 10.96.0.9 . udp . 53 : drop }
    add element ip t services { 10.96.0.10 . tcp . 80 comment "shop/web:http" : goto web }`,
  ],
  [
    "IPv6, typeof, and sets with flags, timeouts, sizes and counters",
    `
    add table ip6 t
    add map ip6 t services { typeof ip6 daddr . meta l4proto . th dport : verdict ; }
    add chain ip6 t web
    add element ip6 t services { fd00::1 . tcp . 443 : goto web }
    add set ip6 t clients { type ipv6_addr ; flags timeout, dynamic ; timeout 10800s ; size 65535 ; }
    add element ip6 t clients { fd00:1::7 timeout 60m }
    add set ip6 t nets { type ipv6_addr ; flags interval ; auto-merge ; }
    add element ip6 t nets { fd00:2::/64, fd00:3::1-fd00:3::9 }
    add set ip6 t seen { type ipv6_addr ; counter ; }
    add element ip6 t seen { fd00::9 }
    add rule ip6 t web update @clients { ip6 saddr timeout 3h }
    add rule ip6 t web meta l4proto { tcp,udp } th dport {80,443} ct state established,related accept`,
    `
    add table ip6 t
    add set ip6 t clients { type ipv6_addr; size 65535; flags dynamic,timeout; timeout 3h; }
    add set ip6 t nets { type ipv6_addr; flags interval; auto-merge; }
    add set ip6 t seen { type ipv6_addr; counter; }
    add map ip6 t services { typeof ip6 daddr . meta l4proto . th dport : verdict; }
    add chain ip6 t web
    add rule ip6 t web update @clients { ip6 saddr timeout 3h }
    add rule ip6 t web meta l4proto { tcp, udp } th dport { 80, 443 } ct state established,related accept
    add element ip6 t clients { fd00:1::7 timeout 1h }
    add element ip6 t nets { fd00:2::/64 }
    add element ip6 t nets { fd00:3::1-fd00:3::9 }
    add element ip6 t seen { fd00::9 }
    add element ip6 t services { fd00::1 . tcp . 443 : goto web }`,
  ],
  [
    "a block, which may mention what it declares later",
    `
    table inet t { # a remark
      counter hits { packets 5 bytes 10 ; }
      map ports { type inet_service : verdict; elements = { 80: jump later,
        443 : accept } }
      chain first {
        type filter hook forward priority filter + 10; policy drop;
        tcp dport vmap @ports ; counter name "hits" \\
          goto later
      }
      chain later { meta nfproto ipv6 drop; }
    }`,
    `
    add table inet t
    add counter inet t hits
    add map inet t ports { type inet_service : verdict; }
    add chain inet t first { type filter hook forward priority 10; policy drop; }
    add chain inet t later
    add rule inet t first tcp dport vmap @ports
    add rule inet t first counter name "hits" goto later
    add rule inet t later meta nfproto ipv6 drop
    add element inet t ports { 80 : jump later }
    add element inet t ports { 443 : accept }`,
  ],
  [
    "rules have an order",
    `
    add table ip t; add chain ip t c
    add rule ip t c tcp dport 1
    add rule ip t c tcp dport 4
    insert rule ip t c tcp dport 0
    add rule ip t c index 1 tcp dport 2
    insert rule ip t c index 3 tcp dport 3`,
    `
    add table ip t
    add chain ip t c
    add rule ip t c tcp dport 0
    add rule ip t c tcp dport 1
    add rule ip t c tcp dport 2
    add rule ip t c tcp dport 3
    add rule ip t c tcp dport 4`,
  ],
  [
    "deleting and flushing, in one go with adding",
    `${base}
    add table ip6 other
    flush chain ip t input
    delete set ip t s
    delete counter ip t k
    flush map ip t m
    delete chain ip t c
    create chain ip t d { comment "new" ; }
    create element ip t m { 10.0.0.2 : jump d }
    add element ip t m { 10.0.0.3 : drop, 10.0.0.4 : accept }
    delete element ip t m { 10.0.0.3 }
    delete element ip t m { 10.0.0.4 : accept }
    add chain ip t input { type filter hook input priority filter ; policy accept ; }
    flush table ip6 other
    delete table ip6 other`,
    `
    add table ip t
    add map ip t m { type ipv4_addr : verdict; }
    add chain ip t d { comment "new"; }
    add chain ip t input { type filter hook input priority filter; policy accept; }
    add element ip t m { 10.0.0.2 : jump d }`,
  ],
  ["flushing all", `${base}\nflush ruleset`, ""],
];

/** Commands that must be refused when applied on top of `base`. */
export const refusals: readonly (readonly [string, (error: unknown) => boolean])[] = [
  ["delete table ip nope", isNotFound],
  ["delete chain ip t nope", isNotFound],
  ["delete set ip t nope", isNotFound],
  ["delete element ip t s { 10.0.0.9 }", isNotFound],
  ["delete element ip t nope { 10.0.0.9 }", isNotFound],
  ["delete counter ip t nope", isNotFound],
  ["flush table ip nope", isNotFound],
  ["flush chain ip t nope", isNotFound],
  ["flush map ip t nope", isNotFound],
  ["flush set ip t m", isNotFound],
  ["add chain ip nope c", isNotFound],
  ["add rule ip nope c drop", isNotFound],
  ["add rule ip t nope drop", isNotFound],
  ["add rule ip t c jump nope", isNotFound],
  ["add rule ip t c tcp dport vmap { 80 : goto nope }", isNotFound],
  ["add rule ip t c ip saddr @nope drop", isNotFound],
  ["add rule ip t c ip saddr vmap @nope", isNotFound],
  ["add rule ip t c counter name nope", isNotFound],
  ["add rule ip t c index 5 drop", isNotFound],
  ["add element ip t nope { 10.0.0.1 }", isNotFound],
  ["add element ip t m { 10.0.0.9 : goto nope }", isNotFound],
  ["create table ip t", isAlreadyExists],
  ["create chain ip t c", isAlreadyExists],
  ["create set ip t s { type ipv4_addr ; }", isAlreadyExists],
  ["create counter ip t k", isAlreadyExists],
  ["create element ip t m { 10.0.0.1 : goto c }", isAlreadyExists],
  ["add element ip t m { 10.0.0.1 : drop }", isAlreadyExists],
  ["add element ip t m { 10.0.0.2 : drop, 10.0.0.2 : accept }", isAlreadyExists],
  ["add map ip t s { type ipv4_addr : verdict ; }", isAlreadyExists],
  ["add map ip t m { type ipv6_addr : verdict ; }", isAlreadyExists],
  ["add map ip t m { type ipv4_addr : verdict ; flags interval ; }", isAlreadyExists],
  ["add chain ip t c { type filter hook input priority 0 ; }", isAlreadyExists],
  ["delete chain ip t c", isInUse],
  ["delete set ip t s", isInUse],
  ["delete counter ip t k", isInUse],
  ["add chain ip t d\nadd rule ip t c jump d\ndelete chain ip t d", isInUse],
  ["add chain ip t input { type filter hook output priority 0 ; }", isNotSupported],
  ["add chain ip t c { policy drop ; }", isNotSupported],
  ["add rule ip t c jump input", isNotSupported],
  [
    "add set ip t few { type ipv4_addr ; size 1 ; }\nadd element ip t few { 10.0.0.1, 10.0.0.2 }",
    isTooLarge,
  ],
  ["add tabel ip t", isInvalid],
  ["destroy table ip t", isInvalid],
  ["add set ip t more { type ipv4_addr }", isInvalid],
  ["add chain ip t more { type filter hook input priority 0 ; policy drop }", isInvalid],
  ["table ip t { chain d { drop; } }", isInvalid],
  ["table ip t { chain d { drop; }", isInvalid],
  ["add set ip t more { flags interval ; }", isInvalid],
  ["add map ip t more { type ipv4_addr ; }", isInvalid],
  ["add rule ip t c", isInvalid],
  ["add element ip t m { 10.0.0.2 }", isInvalid],
  ["add element ip t s { 10.0.0.2 : drop }", isInvalid],
  ["add element ip t s { 10.0.0.2 . tcp }", isInvalid],
  ['add chain ip t d { comment "open ; }', isInvalid],
];

/** Commands that must change nothing when applied on top of `base`. */
export const harmless: readonly string[] = [
  base.replaceAll(/^add rule.*$/gm, ""),
  "add element ip t m { 10.0.0.1 : goto c }",
  "add element ip t s { 10.0.0.1, 10.0.0.1 }",
  "add chain ip t input",
  "delete set ip t m",
  "delete element ip t m { 10.0.0.1 : drop }",
  "add chain ip t d\nadd rule ip t d drop\ndelete chain ip t d",
  "delete table ip t\nadd table ip t",
  "add table t\nadd chain t d\nadd rule t d drop",
  "flush ruleset ip6",
  "",
];
