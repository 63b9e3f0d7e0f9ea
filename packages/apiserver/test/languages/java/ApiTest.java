import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Creates a ConfigMap on the cluster of a kubeconfig with the JDK alone; client libraries read the same file. */
public class ApiTest {
  public static void main(String[] arguments) throws Exception {
    String kubeconfig = Files.readString(Path.of(System.getenv("KUBECONFIG")));
    HttpClient client = HttpClient.newBuilder().sslContext(trusting(valueOf(kubeconfig, "certificate-authority-data"))).build();
    String maps = valueOf(kubeconfig, "server") + "/api/v1/namespaces/default/configmaps";
    String map = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"settings\"},\"data\":{\"size\":\"3\"}}";
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(maps))
            .header("Authorization", "Bearer " + valueOf(kubeconfig, "token"))
            .header("Content-Type", "application/json");
    expect(201, client.send(request.POST(HttpRequest.BodyPublishers.ofString(map)).build(), HttpResponse.BodyHandlers.ofString()));
    expect(409, client.send(request.build(), HttpResponse.BodyHandlers.ofString()));
    System.out.println("passed");
  }

  private static void expect(int status, HttpResponse<String> response) {
    if (response.statusCode() != status) throw new AssertionError(response.statusCode() + ": " + response.body());
  }

  private static String valueOf(String kubeconfig, String field) {
    var found = Pattern.compile("\"?" + field + "\"?: \"?([^\"\\s]+)").matcher(kubeconfig);
    if (!found.find()) throw new IllegalArgumentException("the kubeconfig has no " + field);
    return found.group(1);
  }

  private static SSLContext trusting(String authority) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    var pem = new ByteArrayInputStream(Base64.getDecoder().decode(authority));
    store.setCertificateEntry("authority", CertificateFactory.getInstance("X.509").generateCertificate(pem));
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }
}
