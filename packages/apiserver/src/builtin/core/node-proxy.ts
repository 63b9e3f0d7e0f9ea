/** The `proxy` subresource of a node: forwards the remaining path to the kubelet, authorized by `nodes/proxy`. */
import type { Node } from "@capstan/kinds/v1";
import { apiErrors } from "@capstan/model";
import type { ConnectRules } from "../rules.ts";
import { proxyMethods } from "./proxy-place.ts";

export const nodeProxy: ConnectRules<Node> = {
  type: "connect",
  methods: proxyMethods,
  through({ metadata, status }, { port }) {
    const kubeletPort = String(status?.daemonEndpoints?.kubeletEndpoint?.Port ?? "");
    if (port !== "" && port !== kubeletPort) {
      throw apiErrors.serviceUnavailable(
        `error trying to reach service: only the kubelet of a node is served here, not port ${port}`,
      );
    }
    return { nodeName: metadata.name, to: { verb: "api" }, host: "" };
  },
};
