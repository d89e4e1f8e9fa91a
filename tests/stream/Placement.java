import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HexFormat;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;

/** Where Kafka's own Java producer puts each key (a line of hexadecimal digits) among so many partitions. */
public class Placement {
    public static void main(String[] arguments) throws Exception {
        int partitions = Integer.parseInt(arguments[0]);
        BufferedReader keys = new BufferedReader(new InputStreamReader(System.in));
        for (String line = keys.readLine(); line != null; line = keys.readLine()) {
            System.out.println(BuiltInPartitioner.partitionForKey(HexFormat.of().parseHex(line), partitions));
        }
    }
}
