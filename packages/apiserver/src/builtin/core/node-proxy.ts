/** The door `proxy` of a node: whatever follows in the path is asked of its kubelet. */
import type { Node } from "@capstan/kinds/v1";
import type { ConnectRules } from "../rules.ts";
import { pathAfter, proxyMethods } from "./proxy-path.ts";

export const nodeProxy: ConnectRules<Node> = {
  type: "connect",
  methods: proxyMethods,
  connect: (node, call, door) =>
    door.handOver(node.metadata.name ?? "", pathAfter(call.url, `/nodes/${node.metadata.name}/proxy`), call),
};
