export * from "@capstan/kinds/certificates.k8s.io/v1";
