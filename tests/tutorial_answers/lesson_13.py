"""Convolution."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

KERNEL = (
    "def kernel_gradient(image, g, size, stride):\n    total = np.zeros((size, size))\n"
    "    for i in range(g.shape[0]):\n        for j in range(g.shape[1]):\n"
    "            top, left = i * {0}, j * {0}\n"
    "            total += g[i, j] * image[top : top + size, left : left + size]\n"
    "    return total{1}"
)
SEEN = (
    "def seen(layers):\n    x = tf.ones([1, 4 * layers + 1, 4 * layers + 1, 1])\n"
    "    with tf.GradientTape() as tape:\n        tape.watch(x)\n        h = x\n"
    "        for _ in range(layers):\n"
    '            h = tf.nn.conv2d(h, tf.ones([3, 3, 1, 1]), 1, "VALID")\n        one = {}\n'
    "    return int(np.sum(tape.gradient(one, x).numpy() != 0))"
)
RIGHT = "for_kernel, for_image = {}, [2, 5, 1, -2]"
STAMP = (
    "def image_gradient(g, kernel, stride, padding):\n    size = kernel.shape[0]\n"
    "    rows, columns = ((n - 1) * {0} + size for n in g.shape)\n"
    "    spread = np.zeros((rows, columns))\n"
    "    for i in range(g.shape[0]):\n        for j in range(g.shape[1]):\n"
    "            top, left = i * {0}, j * {0}\n"
    "            spread[top : top + size, left : left + size] {1} g[i, j] * {2}\n"
    "    return spread{3}"
)
LAYERS = "layers = dict(zip('abcde', ['{}', '{}', '{}', '{}', '{}']))"
CUT = "[padding : rows - padding, padding : columns - padding]"

WRONG = {
    "turned around": Wrong("by-hand", RIGHT.format("[8, 7]"), "Nothing is turned around"),
    "pixels added without g": Wrong("by-hand", RIGHT.format("[3, 5]"), "added the pixels"),
    "the outputs": Wrong("by-hand", RIGHT.format("[0, 4, -3]"), "those are the outputs"),
    "the stamp turned around": Wrong(
        "by-hand", "for_kernel, for_image = [7, 8], [-1, -1, 4, 4]", "turned around here"
    ),
    "one number for each output": Wrong(
        "by-hand", "for_kernel, for_image = [7, 8], [2, 3, 4]", "as many numbers as it has pixels"
    ),
    "the stride forgotten": Wrong("kernel-gradient", KERNEL.format(1, ""), "two pixels on"),
    "a mean": Wrong("kernel-gradient", KERNEL.format("stride", " / g.size"), "they are added up"),
    "transposed": Wrong("kernel-gradient", KERNEL.format("stride", ".T"), "Rows and columns"),
    "the kernel turned around": Wrong(
        "kernel-gradient", KERNEL.format("stride", "[::-1, ::-1]"), "first pixel of each window"
    ),
    "the whole image's shape": Wrong(
        "kernel-gradient",
        "def kernel_gradient(image, g, size, stride):\n    return image",
        "has the shape of the kernel",
    ),
    "windows that never overlap": Wrong(
        "seen", "def seen(layers):\n    return 9**layers", "still one pixel"
    ),
    "windows side by side": Wrong(
        "seen", "def seen(layers):\n    return 9 * layers", "do not stand side by side"
    ),
    "three for each layer": Wrong(
        "seen", "def seen(layers):\n    return (3 * layers) ** 2", "No tape has counted"
    ),
    "the whole map": Wrong("seen", SEEN.format("h"), "from the whole map"),
    "a formula": Wrong(
        "seen", "def seen(layers):\n    return (2 * layers + 1) ** 2", "let a tape count it"
    ),
    "a map that stays": Wrong(
        "moves-along", LAYERS.format("stays", "stays", "neither", "neither", "stays"), "a: the map"
    ),
    "a sum that moves": Wrong(
        "moves-along",
        LAYERS.format("moves along", "moves along", "neither", "neither", "stays"),
        "b: a sum",
    ),
    "a stride that does no harm": Wrong(
        "moves-along",
        LAYERS.format("moves along", "stays", "moves along", "neither", "stays"),
        "c: with a stride",
    ),
    "a weight for each place": Wrong(
        "moves-along",
        LAYERS.format("moves along", "stays", "neither", "moves along", "stays"),
        "d: which number",
    ),
    "the largest moves": Wrong(
        "moves-along",
        LAYERS.format("moves along", "stays", "neither", "neither", "moves along"),
        "e: the map moves",
    ),
    "another word": Wrong("moves-along", LAYERS.format(1, 2, 3, 4, 5), "for each letter"),
    "the stamps' stride forgotten": Wrong(
        "image-gradient", STAMP.format("1", "+=", "kernel", CUT), "two pixels on"
    ),
    "the padding left": Wrong(
        "image-gradient", STAMP.format("stride", "+=", "kernel", ""), "still there"
    ),
    "cut from behind": Wrong(
        "image-gradient",
        STAMP.format("stride", "+=", "kernel", "[padding:-padding, padding:-padding]"),
        "counted from the front",
    ),
    "the last stamp wins": Wrong(
        "image-gradient", STAMP.format("stride", "=", "kernel", CUT), "Where stamps overlap"
    ),
    "a stamp turned around": Wrong(
        "image-gradient", STAMP.format("stride", "+=", "kernel[::-1, ::-1]", CUT), "turned around"
    ),
    "a stamp transposed": Wrong(
        "image-gradient", STAMP.format("stride", "+=", "kernel.T", CUT), "Rows and columns"
    ),
    "a gradient of the kernel's shape": Wrong(
        "image-gradient",
        "def image_gradient(g, kernel, stride, padding):\n    return kernel",
        "has the shape of the image",
    ),
}

IN_ANOTHER_STYLE = {
    "zeros between the g": Right(
        "image-gradient",
        "def image_gradient(g, kernel, stride, padding):\n    size = len(kernel)\n"
        "    apart = np.zeros([(n - 1) * stride + 1 for n in g.shape])\n"
        "    apart[::stride, ::stride] = g\n"
        "    whole = convolve(np.pad(apart, size - 1), kernel[::-1, ::-1])\n"
        "    return whole[padding : len(whole) - padding, padding : len(whole[0]) - padding]",
    ),
    "arrays": Right(
        "by-hand", "for_kernel, for_image = np.array([7, 8]), np.array([2.0, 5.0, 1.0, -2.0])"
    ),
    "a sum over slices": Right(
        "kernel-gradient",
        "def kernel_gradient(image, g, size, stride):\n    rows, columns = g.shape\n"
        "    part = lambda a, b: image[a : a + stride * rows : stride, b : b + stride * columns : "
        "stride][:rows, :columns]\n"
        "    return [[np.sum(g * part(a, b)) for b in range(size)] for a in range(size)]",
    ),
}
