import java.util.HashMap;
import java.util.Map;

/** What is inlined where depends on what was called while it warmed up: `java Shapes clean|mixed STEPS EXITCODE`. */
public class Shapes {
    interface Shape {
        double area();
    }

    static final class Square implements Shape {
        final double side;

        Square(double side) {
            this.side = side;
        }

        public double area() {
            return side * side;
        }
    }

    static final class Circle implements Shape {
        final double radius;

        Circle(double radius) {
            this.radius = radius;
        }

        public double area() {
            return 3.14 * radius * radius;
        }
    }

    static final class Slab implements Shape {
        final double width;

        Slab(double width) {
            this.width = width;
        }

        public double area() {
            return width * 2;
        }
    }

    static double total(Shape[] shapes) {
        double sum = 0;
        for (Shape shape : shapes) {
            sum += shape.area();
        }
        return sum;
    }

    static int[] pair(int first, int second) {
        return new int[] {first, second};
    }

    static long points(int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            int[] point = pair(i, i + 1);
            sum += point[0] ^ point[1];
        }
        return sum;
    }

    static int words(Map<String, Integer> counts, String[] words) {
        for (String word : words) {
            counts.merge(word, 1, Integer::sum);
        }
        return counts.size();
    }

    static double step(Shape[] shapes, String[] words, Map<String, Integer> counts) {
        return total(shapes) + points(300) + words(counts, words);
    }

    static Shape[] shapes(boolean mixed) {
        Shape[] made = new Shape[300];
        for (int i = 0; i < made.length; i++) {
            made[i] = !mixed || i % 3 == 0 ? new Square(i) : i % 3 == 1 ? new Circle(i) : new Slab(i);
        }
        return made;
    }

    public static void main(String[] arguments) {
        Shape[] warm = shapes(arguments[0].equals("mixed"));
        double sum = 0;
        for (int i = 0; i < 3000; i++) {
            sum += total(warm);
        }
        Shape[] squares = shapes(false);
        String[] words = {"a", "b", "c", "a", "b", "a"};
        Map<String, Integer> counts = new HashMap<>();
        long steps = Long.parseLong(arguments[1]);
        for (long i = 0; i < steps; i++) {
            sum += step(squares, words, counts);
        }
        System.out.println(sum > 0 ? "done" : "never");
        System.err.println("to the other stream");
        System.exit(Integer.parseInt(arguments[2]));
    }
}
