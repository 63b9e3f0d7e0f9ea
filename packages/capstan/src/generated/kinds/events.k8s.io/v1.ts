export * from "@capstan/kinds/events.k8s.io/v1";
