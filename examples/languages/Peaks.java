// SPDX-License-Identifier: LGPL-2.1-or-later
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

class Peaks {
	public static void main(String[] args) throws Exception {
		long next = 0;
		for (var block : ZioFile.fromFile(args[0]).blocks()) {
			var control = block.control();
			var samples = ByteBuffer.wrap(block.data()).order(ByteOrder.LITTLE_ENDIAN).asShortBuffer();
			double peak = Double.NEGATIVE_INFINITY;
			while (samples.hasRemaining())
				peak = Math.max(peak, samples.get() * control.scale() + control.offset());
			long lost = control.seqNum() - next, secs = control.tstamp().secs();
			System.out.printf("%d %d.%09d %d %.4f%n", control.seqNum(), secs,
					  control.tstamp().ticks(), lost, peak);
			next = control.seqNum() + 1;
		}
	}
}
