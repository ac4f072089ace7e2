import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Locale;

/** Writes each double of standard input, given by its bits, as profdiff does. */
public class TwoPlaces {
    public static void main(String[] words) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        StringBuilder output = new StringBuilder();
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            double value = Double.longBitsToDouble(Long.parseUnsignedLong(line, 16));
            output.append(String.format(Locale.ROOT, "%.2f|%5.2f|%s\n", value, value, value));
        }
        System.out.print(output);
    }
}
