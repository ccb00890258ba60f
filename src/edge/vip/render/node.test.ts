import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeNft } from "../../../base/host/nft.fake.ts";
import { defaultSettings } from "../settings.ts";
import { bothFamilies, nodeOf, nodesOf, withOnly } from "../testing/vip.ts";
import { renderCheckScript } from "./check-script.ts";
import { firewallTable } from "./firewall.ts";
import { renderNode } from "./node.ts";

const options = { settings: defaultSettings, directory: "/run/tandem/vip" };
const render = (nodes = nodesOf(2), name = "master-0") =>
  renderNode(bothFamilies, nodes, {
    ...options,
    local: { name, linkOf: () => "eth0", holds: [], grouped: [] },
  });

test("[VIP-3] keepalived: instances, and a group that has the check", () => {
  const { keepalived = "" } = render();
  const api = keepalived.slice(0, keepalived.indexOf("vrrp_script check_ingress"));
  assert.equal(
    api,
    `global_defs {
    router_id master-0
    vrrp_version 3
    vrrp_garp_master_refresh 1
    vrrp_priority -20
    max_auto_priority -1
    enable_script_security
    script_user root
}

vrrp_script check_api {
    script "/run/tandem/vip/check-api"
    interval 1
    timeout 1
    rise 2
    fall 2
    weight 120
}

vrrp_sync_group ostest_API {
    group {
        ostest_API_0
        ostest_API_1
    }
    track_script {
        check_api
    }
}

vrrp_instance ostest_API_0 {
    state BACKUP
    interface eth0
    virtual_router_id 14
    priority 120
    advert_int 0.3
    unicast_src_ip 192.168.111.20
    unicast_peer {
        192.168.111.21
    }
    virtual_ipaddress {
        192.168.111.5/32
    }
}

vrrp_instance ostest_API_1 {
    state BACKUP
    interface eth0
    virtual_router_id 14
    priority 120
    advert_int 0.3
    unicast_src_ip fd00:111::20
    unicast_peer {
        fd00:111::21
    }
    virtual_ipaddress {
        fd00:111::5/128
    }
}

`,
  );
});

test("[VIP-3] keepalived: outside of a group an instance has the check itself", () => {
  const { keepalived = "" } = render([withOnly("IPv6", nodeOf(0)), nodeOf(1)]);
  assert.doesNotMatch(keepalived, /vrrp_sync_group/);
  assert.match(keepalived, /fd00:111::5\/128\n {4}}\n {4}track_script {\n {8}check_api\n/);
});

test("[VIP-3] haproxy: both families in front, API servers of every family behind", () => {
  const { haproxy = "" } = render([nodeOf(0), withOnly("IPv4", nodeOf(1))]);
  assert.match(haproxy, /bind :::9445 v4v6\n/);
  assert.deepEqual(haproxy.match(/(?<=\n {4})server .*/g), [
    "server master-0-IPv4 192.168.111.20:6443",
    "server master-0-IPv6 [fd00:111::20]:6443",
    "server master-1-IPv4 192.168.111.21:6443",
  ]);
});

test("[VIP-3] haproxy: a node without IPv6 listens without it", () => {
  const { haproxy = "" } = render([withOnly("IPv4", nodeOf(0))]);
  assert.match(haproxy, /bind :9445\n/);
});

test("[VIP-3] only nodes of the control plane balance the API", () => {
  const rendered = render([nodeOf(0, { isControlPlane: false }), nodeOf(1)]);
  assert.equal(rendered.haproxy, undefined);
  assert.equal(rendered.firewall, undefined);
  assert.deepEqual(
    [...rendered.checks].map(([use, { path }]) => [use, path]),
    [["ingress", "/run/tandem/vip/check-ingress"]],
  );
});

test("[VIP-3] what comes for a VIP goes to the load balancer", async () => {
  const nft = new FakeNft();
  await nft.apply(render().firewall ?? "");
  await nft.apply(render().firewall ?? "");
  const text = await nft.text(firewallTable);
  assert.match(text, /ip daddr 192\.168\.111\.5 tcp dport 6443 dnat ip to 192\.168\.111\.5:9445/);
  assert.match(text, /ip6 daddr fd00:111::5 tcp dport 6443 dnat ip6 to \[fd00:111::5\]:9445/);
  assert.equal(text.match(/dnat/g)?.length, 4);
});

test("[VIP-3] the ingress check asks for a page, or for a connection only", () => {
  assert.doesNotMatch(renderCheckScript("ingress", defaultSettings), /GET/);
  const ingressCheck = { port: 1936, path: "/healthz/ready" };
  const script = renderCheckScript("ingress", { ...defaultSettings, ingressCheck });
  assert.match(script, /127\.0\.0\.1\/1936\n.*GET \/healthz\/ready HTTP/);
});
