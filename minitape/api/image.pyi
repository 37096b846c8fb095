"""The public names of `tf.image`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.ops.neural.augmenting import random_crop as random_crop
from minitape.ops.neural.augmenting import random_flip_left_right as random_flip_left_right
from minitape.ops.neural.augmenting import random_flip_up_down as random_flip_up_down
from minitape.ops.neural.augmenting import sobel_edges as sobel_edges
from minitape.ops.neural.colours import adjust_gamma as adjust_gamma
from minitape.ops.neural.colours import grayscale_to_rgb as grayscale_to_rgb
from minitape.ops.neural.colours import psnr as psnr
from minitape.ops.neural.colours import random_brightness as random_brightness
from minitape.ops.neural.colours import random_contrast as random_contrast
from minitape.ops.neural.cropping import crop_and_resize as crop_and_resize
from minitape.ops.neural.framing import central_crop as central_crop
from minitape.ops.neural.framing import crop_to_bounding_box as crop_to_bounding_box
from minitape.ops.neural.framing import pad_to_bounding_box as pad_to_bounding_box
from minitape.ops.neural.framing import resize_with_crop_or_pad as resize_with_crop_or_pad
from minitape.ops.neural.framing import rot90 as rot90
from minitape.ops.neural.framing import transpose as transpose
from minitape.ops.neural.imaging import adjust_brightness as adjust_brightness
from minitape.ops.neural.imaging import adjust_contrast as adjust_contrast
from minitape.ops.neural.imaging import convert_image_dtype as convert_image_dtype
from minitape.ops.neural.imaging import flip_left_right as flip_left_right
from minitape.ops.neural.imaging import flip_up_down as flip_up_down
from minitape.ops.neural.imaging import image_gradients as image_gradients
from minitape.ops.neural.imaging import per_image_standardization as per_image_standardization
from minitape.ops.neural.imaging import rgb_to_grayscale as rgb_to_grayscale
from minitape.ops.neural.imaging import total_variation as total_variation
from minitape.ops.neural.resizing import ResizeMethod as ResizeMethod
from minitape.ops.neural.resizing import resize as resize
from minitape.ops.neural.resizing import resize_with_pad as resize_with_pad
from minitape.ops.neural.similarity import ssim as ssim
from minitape.ops.neural.similarity import ssim_multiscale as ssim_multiscale
